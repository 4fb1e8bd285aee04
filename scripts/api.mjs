import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { bootstrap } from './lib/bootstrap.mjs';
import { compileOrExit } from './lib/build.mjs';
import { inRoot, ROOT } from './lib/paths.mjs';
import { run } from './lib/process.mjs';

/** The entry points: the name of each one's report, and its room. */
const ENTRIES = {
  escapement: 'main',
  'escapement-sim': 'sim-worker',
  'escapement-render': 'render',
  'escapement-net': 'net',
  'escapement-webgl': 'render/webgl',
  'escapement-pixi': 'render/pixi',
  'escapement-three': 'render/three',
};

/**
 * `npm run api` writes down the public surface of every entry point in docs/api. Without `--update`
 * it compares instead, and fails where the surface is another one. `--built` takes dist/ as it is.
 */
async function main() {
  await bootstrap();
  if (!process.argv.includes('--built')) await compileOrExit();
  mkdirSync(inRoot('docs', 'api'), { recursive: true });
  mkdirSync(inRoot('build', 'api', 'diff'), { recursive: true });
  const update = process.argv.includes('--update');
  let differing = 0;
  for (const [name, room] of Object.entries(ENTRIES)) {
    const fresh = await extract(name, `dist/${room}/index.d.ts`);
    const committed = inRoot('docs', 'api', `${name}.api.md`);
    if (update) copyFileSync(fresh, committed);
    else if (!agrees(fresh, committed)) {
      differing += 1;
      await run('git', ['--no-pager', 'diff', '--no-index', '--no-color', committed, fresh]);
    }
  }
  if (differing === 0) return 0;
  process.stderr.write(
    `The public surface differs from docs/api (${differing} of ${Object.keys(ENTRIES).length} ` +
      "reports). If that is meant, run 'npm run api' and commit the result.\n",
  );
  return 1;
}

/**
 * @param {string} fresh
 * @param {string} committed
 */
function agrees(fresh, committed) {
  return existsSync(committed) && readFileSync(fresh, 'utf8') === readFileSync(committed, 'utf8');
}

/**
 * Writes the report of one entry point below build/api and returns its path.
 * @param {string} name
 * @param {string} declarations
 */
async function extract(name, declarations) {
  // Bootstrap comes first: on a fresh clone this package is not there when the script starts.
  const { Extractor, ExtractorConfig, ExtractorLogLevel } = await import(
    '@microsoft/api-extractor'
  );
  const silent = { default: { logLevel: ExtractorLogLevel.None } };
  const report = `${name}.api.md`;
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: ROOT,
      mainEntryPointFilePath: inRoot(declarations),
      compiler: {
        overrideTsconfig: {
          extends: inRoot('tsconfig.base.json'),
          compilerOptions: {
            // As a page sees it: the platform's names are the browser's.
            lib: [
              'ES2023',
              'ES2024.SharedMemory',
              'ES2024.ArrayBuffer',
              'ESNext.Disposable',
              'DOM',
            ],
            composite: false,
            isolatedDeclarations: false,
            noEmit: true,
          },
          files: [declarations],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: report,
        reportFolder: inRoot('build', 'api'),
        reportTempFolder: inRoot('build', 'api', 'diff'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: {
          ...silent,
          'ae-forgotten-export': {
            logLevel: ExtractorLogLevel.Warning,
            addToApiReportFile: true,
          },
        },
        tsdocMessageReporting: silent,
      },
    },
    configObjectFullPath: inRoot('api-extractor.json'),
    packageJsonFullPath: inRoot('package.json'),
  });
  const result = Extractor.invoke(config, {
    localBuild: true,
    messageCallback: (message) => {
      message.handled = message.logLevel !== ExtractorLogLevel.Error;
    },
  });
  if (result.errorCount > 0) throw new Error(`${declarations} could not be read: see above`);
  return inRoot('build', 'api', report);
}

process.exitCode = await main();

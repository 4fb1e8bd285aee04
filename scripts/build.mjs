import { bootstrap } from './lib/bootstrap.mjs';
import { compile } from './lib/build.mjs';

await bootstrap();
const { code } = await compile({ clean: process.argv.includes('--clean') });
process.exitCode = code;

import { type FileVerdict, type VerifyTask, verifyFile } from './verify-file.ts';

/** Verifies one file after the other on a thread of a pool. */
export default function verify(task: VerifyTask): Promise<FileVerdict> {
  return verifyFile(task);
}

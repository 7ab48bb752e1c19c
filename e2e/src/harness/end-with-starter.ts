import { rmSync } from 'node:fs';
import process from 'node:process';

// Loaded into a service that several test files share: no file of a worker knows that it is the last one.

/** The service ends when the process that started it has ended: its standard input ends then. */
process.stdin.once('end', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume();
(process.stdin as NodeJS.ReadStream & { unref?(): void }).unref?.();

process.once('exit', () => {
  const folder = process.env['FDS_TEST_REMOVED_FOLDER'];
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

import { spawnSync } from 'node:child_process';

const isInstalled = spawnSync('promtool', ['--version']).status === 0;

/** The reason why a test that needs the tool of Prometheus is skipped; undefined if it is installed. */
export const promtoolMissing: string | undefined = isInstalled ? undefined : 'promtool is not installed';

/** Runs promtool. @returns what it complains about; empty: nothing */
export const promtool = (words: readonly string[], input = ''): string => {
  const { status, stdout, stderr } = spawnSync('promtool', [...words], { input, encoding: 'utf8' });
  if (status === 0) return stderr;
  return `${stdout}${stderr}` || `promtool ended with ${status}`;
};

// Installs and builds what is missing. Runs before anything is installed, so it uses nothing but Node.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeStale } from './remove-stale.mjs';

/** The root of the checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

const environment = {
  ...process.env,
  TURBO_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
  CHECKPOINT_DISABLE: '1',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
};

/**
 * Runs a command in the root and waits for it; a signal to this process is forwarded to it.
 * @returns its exit code; 1 when a signal ended it
 */
export const run = (command, args, options = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: 'inherit',
      ...options,
      env: { ...environment, ...options.env },
    });
    const forward = (signal) => child.kill(signal);
    process.on('SIGINT', forward);
    process.on('SIGTERM', forward);
    const done = () => {
      process.off('SIGINT', forward);
      process.off('SIGTERM', forward);
    };
    child.once('error', (error) => {
      done();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      done();
      if (signal !== null) process.exit(1);
      resolve(code ?? 1);
    });
  });

const require0 = async (what, code) => {
  if (code === 0) return;
  console.error(`${what} failed`);
  process.exit(code);
};

const installMark = join(root, 'node_modules', '.fds-installed');

const lockDigest = () =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex');

const isInstalled = () => existsSync(installMark) && readFileSync(installMark, 'utf8') === lockDigest();

const requireNode = () => {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`Node 20.19 or newer is required, this is ${process.versions.node}`);
  process.exit(1);
};

/**
 * Installs the dependencies unless what is installed fits the lock file. Ends the process when that fails. It does not use
 * `npm ci`, which first removes the present packages.
 */
export const install = async () => {
  requireNode();
  if (isInstalled()) return;
  console.error('Installing dependencies (once, about a minute) ...');
  const npm = process.env.npm_execpath;
  const [command, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  await require0(
    'npm',
    await run(command, [...first, 'install', '--loglevel=error', '--no-progress'], { stdio: ['ignore', 2, 2] }),
  );
  writeFileSync(installMark, lockDigest());
};

/** Runs tasks of turbo.json; results of fresh tasks come from its cache. Ends the process when one fails. */
export const turbo = async (...tasks) => {
  const args = ['run', ...tasks, '--output-logs=errors-only', '--log-prefix=none', '--ui=stream'];
  await require0(
    tasks.join(', '),
    await run(join(root, 'node_modules', '.bin', 'turbo'), args, { stdio: ['ignore', 2, 2] }),
  );
};

/** Installs and builds missing parts, and removes compiled files whose source is gone. */
export const prepare = async () => {
  await install();
  await turbo('build');
  removeStale(root);
};

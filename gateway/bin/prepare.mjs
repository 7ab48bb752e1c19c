// Installs and builds what is missing, and continues on the Node of the dependencies where the machine has an older one.
// Runs before anything is installed, so it uses nothing but Node 20.19.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
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

/** Signals that a process hands on to the one that it waits for. */
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];

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
    for (const signal of forwarded) process.on(signal, forward);
    const done = () => {
      for (const signal of forwarded) process.off(signal, forward);
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

const isNodeFrom = (major, minor) => {
  const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
};

const requireNode = () => {
  if (isNodeFrom(20, 19)) return;
  console.error(`Node 20.19 or newer is required, this is ${process.versions.node}`);
  process.exit(1);
};

/** The packages with the binary of Node 24, one for each platform. npm installs the one of this machine (ADR 77). */
const nodePackages = [`node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`];
nodePackages.push(nodePackages[0].replace(/^node-/, 'node-bin-'));

const findNode = () =>
  nodePackages
    .map((name) => join(root, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node'))
    .find(existsSync);

/** Tells the script that it runs again. The process then has a channel to the first one. */
const againVariable = 'FDS_RUNS_AGAIN';

if (process.env[againVariable] !== undefined) {
  delete process.env[againVariable];
  // a process that is killed cannot hand the signal on: this one ends with it, as if both were one
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel?.unref();
}

/**
 * Runs the script of this process again, on the Node of the dependencies, if this Node is older than 22.12. Ends this
 * process as that one ends. npm puts that Node first on the path, so this happens only at the first start, before the
 * dependencies are installed, and without npm.
 */
const continueOnNewNode = async () => {
  if (isNodeFrom(22, 12)) return;
  const node = findNode();
  if (node === undefined) {
    console.error(
      `Node 22.12 or newer is required, this is ${process.versions.node}, and npm has no Node 24 for ${process.platform} ${process.arch}`,
    );
    process.exit(1);
  }
  console.error(`Node ${process.versions.node} is older than 22.12: continues on the Node 24 of the dependencies`);
  const PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, PATH, [againVariable]: '1' },
  });
  for (const signal of forwarded) process.on(signal, () => child.kill(signal));
  const [code, signal] = await once(child, 'exit');
  if (signal !== null) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exit(code ?? 1);
};

const installPackages = async () => {
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

/**
 * Installs the dependencies unless what is installed fits the lock file, and continues on a Node that the product
 * supports. Ends the process when that fails. It does not use `npm ci`, which first removes the present packages.
 */
export const install = async () => {
  requireNode();
  await installPackages();
  await continueOnNewNode();
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

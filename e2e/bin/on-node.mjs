// node e2e/bin/on-node.mjs VERSION SCRIPT [ARGUMENT...]: runs a script on another release of Node.
// The release comes from the npm registry: the packages named node-<platform>-<architecture> contain its binary.
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { prepare, root, run } from '../../gateway/bin/prepare.mjs';

const [version, script, ...args] = process.argv.slice(2);
if (version === undefined || script === undefined) {
  console.error('Usage: node e2e/bin/on-node.mjs VERSION SCRIPT [ARGUMENT...]');
  process.exit(2);
}

/** Installs the release unless an earlier run did. Ends the process when the registry does not have it. */
const installNode = async () => {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const folder = join(root, 'node_modules', '.cache', 'node', version);
  const binary = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(binary)) return binary;
  const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--loglevel=error', '--prefix', folder];
  const code = await run('npm', ['install', ...options, `${name}@${version}`], { stdio: ['ignore', 2, 2] });
  if (code === 0 && existsSync(binary)) return binary;
  console.error(`The npm registry has no ${name}@${version} for this machine`);
  process.exit(1);
};

// No dependency is compiled for a release of Node, so the other release uses what this one installs.
await prepare();
const node = await installNode();
// Scripts that look for `node` find the same release.
const PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
process.exit(await run(node, [script, ...args], { env: { PATH } }));

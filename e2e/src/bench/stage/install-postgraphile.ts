import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../harness/spawned.js';

const version = '5.1.5';

/**
 * Installs PostGraphile from the npm registry unless an earlier run did. It has a separate folder, because it needs
 * another release of graphql than the product.
 *
 * @returns the folder from which it can be imported
 */
export const installPostgraphile = async (): Promise<string> => {
  const folder = join(root, 'node_modules', '.cache', 'postgraphile', version);
  if (existsSync(join(folder, 'node_modules', 'postgraphile', 'package.json'))) return folder;
  mkdirSync(folder, { recursive: true });
  const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--loglevel=error', '--prefix', folder];
  await promisify(execFile)('npm', ['install', ...options, `postgraphile@${version}`], { cwd: folder });
  return folder;
};

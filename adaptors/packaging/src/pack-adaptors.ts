import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stagePackage } from './stage-package.js';
import { readAdaptorPackages, type WorkspacePackage } from './workspace-package.js';

const packOne = async (root: string, source: WorkspacePackage, out: string): Promise<string> => {
  const staged = mkdtempSync(join(tmpdir(), 'fds-pack-'));
  try {
    await stagePackage(root, source, staged);
    const { stdout } = await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', out], {
      cwd: staged,
    });
    return join(out, stdout.trim());
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
};

/**
 * Makes the tarballs of the SDK and of each adaptor. The packages must be built before.
 *
 * @param root of the checkout
 * @param out folder of the tarballs
 * @returns file name of each package's tarball
 */
export const packAdaptors = async (root: string, out: string): Promise<ReadonlyMap<string, string>> => {
  mkdirSync(out, { recursive: true });
  const sources = readAdaptorPackages(root).filter(({ manifest }) => manifest.files !== undefined);
  const packed = await Promise.all(
    sources.map(async (source) => [source.manifest.name, await packOne(root, source, out)] as const),
  );
  return new Map(packed);
};

import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { packageNameOf, resolveInWorkspace, type WorkspacePackage } from './workspace-package.js';

const workspaceInside = (packages: readonly WorkspacePackage[], external: Set<string>): Plugin => ({
  name: 'workspace-inside',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind === 'entry-point') return undefined;
      const file = resolveInWorkspace(packages, path, 'default');
      if (file !== undefined) return { path: file };
      const name = packageNameOf(path);
      if (name !== undefined) external.add(name);
      return { path, external: true };
    });
  },
});

export interface CodeBundle {
  readonly packages: readonly WorkspacePackage[];
  readonly folder: string;
  /** Files of the folder; each keeps its place in the target. */
  readonly entries: readonly string[];
  readonly target: string;
}

/**
 * Writes the entries, bundled with the workspace packages that they import. Entries share their common code.
 *
 * @returns names of the registry packages that are imported
 */
export const bundleCode = async ({ packages, folder, entries, target }: CodeBundle): Promise<ReadonlySet<string>> => {
  const external = new Set<string>();
  await build({
    absWorkingDir: folder,
    entryPoints: Object.fromEntries(entries.map((entry) => [entry.replace(/\.m?js$/, ''), join(folder, entry)])),
    outdir: target,
    bundle: true,
    splitting: true,
    chunkNames: 'dist/shared-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
    plugins: [workspaceInside(packages, external)],
  });
  return external;
};

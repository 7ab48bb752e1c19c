import { isAbsolute, join } from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { packageNameOf, resolveInWorkspace, type WorkspacePackage } from './workspace-package.js';

export interface TypesBundle {
  readonly packages: readonly WorkspacePackage[];
  readonly folder: string;
  /** Declaration files of the folder; each keeps its place in the target. */
  readonly entries: readonly string[];
  readonly target: string;
}

/**
 * Writes the declarations, bundled with the declarations of the workspace packages that they use.
 *
 * @returns names of the registry packages that the declarations import
 */
export const bundleTypes = async ({ packages, folder, entries, target }: TypesBundle): Promise<ReadonlySet<string>> => {
  const external = new Set<string>();
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((entry) => [entry.replace(/\.d\.ts$/, ''), join(folder, entry)])),
    plugins: [
      {
        name: 'workspace-inside',
        resolveId: (specifier) => {
          if (specifier.startsWith('.') || isAbsolute(specifier)) return null;
          const file = resolveInWorkspace(packages, specifier, 'types');
          if (file !== undefined) return file;
          const name = packageNameOf(specifier);
          if (name !== undefined) external.add(name);
          return { id: specifier, external: true };
        },
      },
      dts({ respectExternal: true }),
    ],
  });
  await bundle.write({ dir: target, entryFileNames: '[name].d.ts', chunkFileNames: 'dist/shared-[hash].d.ts' });
  await bundle.close();
  return external;
};

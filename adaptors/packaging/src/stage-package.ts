import { chmodSync, copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { bundleCode } from './bundle-code.js';
import { bundleTypes } from './bundle-types.js';
import { stageDocuments } from './stage-documents.js';
import {
  type Manifest,
  readAdaptorPackages,
  registryDependencies,
  type WorkspacePackage,
} from './workspace-package.js';

const sorted = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

/** @throws Error when no package.json lists an imported package */
const versionsOf = (names: Iterable<string>, packages: readonly WorkspacePackage[]): Record<string, string> => {
  const known: Readonly<Record<string, string>> = Object.assign({}, ...packages.map(registryDependencies));
  return Object.fromEntries(
    [...names].map((name) => {
      const version = known[name];
      if (version === undefined) throw new Error(`${name} is imported, but no package.json lists it`);
      return [name, version];
    }),
  );
};

const manifestOf = ({ manifest }: WorkspacePackage, engines: unknown, dependencies: Record<string, string>): object => {
  const { name, version, description, license, exports, bin } = manifest;
  return {
    name,
    version,
    ...(description === undefined ? {} : { description }),
    license,
    type: 'module',
    engines,
    exports: Object.fromEntries(
      Object.entries(exports).map(([door, { types, default: code }]) => [door, { types, default: code }]),
    ),
    ...(bin === undefined ? {} : { bin }),
    files: ['dist', 'bin', 'templates', 'docs'],
    dependencies,
  };
};

const offered = ({ exports }: Manifest, form: 'types' | 'default'): readonly string[] =>
  Object.values(exports).map((door) => normalize(door[form]));

/** The compiled programs that a file of `bin/` imports from `dist/`. */
const programsOf = (bin: string): readonly string[] =>
  [...readFileSync(bin, 'utf8').matchAll(/'\.\.\/(dist\/[^']+)'/g)].map(([, program = '']) => program);

/**
 * Writes the published form of a package: its code and types, bundled with the workspace packages that it uses; a
 * package.json that names only packages of the registry; and its documentation. The package must be built.
 *
 * @param root of the checkout
 * @param target an empty folder
 */
export const stagePackage = async (root: string, source: WorkspacePackage, target: string): Promise<void> => {
  const packages = readAdaptorPackages(root);
  const { folder, manifest } = source;
  const bins = Object.values(manifest.bin ?? {}).map((bin) => normalize(bin));
  const programs = bins.flatMap((bin) => programsOf(join(folder, bin)));
  const code = await bundleCode({ packages, folder, entries: [...offered(manifest, 'default'), ...programs], target });
  const types = await bundleTypes({ packages, folder, entries: offered(manifest, 'types'), target });
  const dependencies = sorted({ ...registryDependencies(source), ...versionsOf([...code, ...types], packages) });
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly engines: unknown };
  writeFileSync(
    join(target, 'package.json'),
    `${JSON.stringify(manifestOf(source, engines, dependencies), undefined, 2)}\n`,
  );
  copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  stageDocuments(root, source, target);
  for (const bin of bins) {
    cpSync(join(folder, bin), join(target, bin));
    chmodSync(join(target, bin), 0o755);
  }
};

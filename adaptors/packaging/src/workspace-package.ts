import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Export = Readonly<Record<'@fds/source' | 'types' | 'default', string>>;

/** The fields of a package.json that packaging reads. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly description?: string;
  readonly exports: Readonly<Record<string, Export>>;
  readonly bin?: Readonly<Record<string, string>>;
  /** A package with this list is made into a tarball. */
  readonly files?: readonly string[];
  /** Pages and other documents of the checkout that the tarball contains, as paths in the checkout. */
  readonly documents?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface WorkspacePackage {
  readonly folder: string;
  readonly manifest: Manifest;
}

const isWorkspaceName = (name: string): boolean => name.startsWith('@fds/');

/**
 * Package name (`@scope/name` or `name`) of an import such as `name/part`; undefined for files and for modules of Node.
 */
export const packageNameOf = (specifier: string): string | undefined =>
  specifier.startsWith('node:') ? undefined : /^(?:@[^/]+\/)?[^./@][^/]*/.exec(specifier)?.[0];

/** @throws Error when the folder has no package.json */
export const readPackage = (folder: string): WorkspacePackage => ({
  folder,
  manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest,
});

/** The packages below `adaptors/`. */
export const readAdaptorPackages = (root: string): readonly WorkspacePackage[] =>
  readdirSync(join(root, 'adaptors'))
    .map((name) => join(root, 'adaptors', name))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .sort()
    .map(readPackage);

/** Dependencies that come from a registry, with their versions. */
export const registryDependencies = ({ manifest }: WorkspacePackage): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(manifest.dependencies ?? {}).filter(([name]) => !isWorkspaceName(name)));

/**
 * The file that an import of a workspace package resolves to, in one of the forms that the package exports.
 *
 * @returns undefined when the import names no workspace package
 * @throws Error when the package does not export it
 */
export const resolveInWorkspace = (
  packages: readonly WorkspacePackage[],
  specifier: string,
  form: 'types' | 'default',
): string | undefined => {
  const name = packageNameOf(specifier);
  if (name === undefined || !isWorkspaceName(name)) return undefined;
  const found = packages.find(({ manifest }) => manifest.name === name);
  const offered = found?.manifest.exports[`.${specifier.slice(name.length)}`];
  if (found === undefined || offered === undefined) throw new Error(`${specifier} is not an export of a package`);
  return join(found.folder, offered[form]);
};

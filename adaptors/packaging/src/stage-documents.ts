import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { rehomeLinks } from './rehome-links.js';
import type { WorkspacePackage } from './workspace-package.js';

/**
 * Place of a document in the package. A page of `docs/` keeps its path. Other documents, such as the AsyncAPI document,
 * are placed next to the bus page.
 */
const placeOf = (document: string): string =>
  document.startsWith('docs/') ? document : join('docs/protocols', basename(document));

const filesBelow = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];

/** Path in the checkout and path in the package of every document of the package. */
const placesOf = (root: string, { folder, manifest }: WorkspacePackage): ReadonlyMap<string, string> => {
  const own = [join(folder, 'README.md'), ...filesBelow(join(folder, 'templates'))];
  return new Map([
    ...own.map((file) => [relative(root, file), relative(folder, file)] as const),
    ...(manifest.documents ?? []).map((document) => [document, placeOf(document)] as const),
  ]);
};

/**
 * Writes the README, the templates and the documents of a package. Adjusts the links between them; links to other files
 * of the checkout become plain text.
 *
 * @param root of the checkout
 */
export const stageDocuments = (root: string, source: WorkspacePackage, target: string): void => {
  const placed = placesOf(root, source);
  for (const [from, to] of placed) {
    const [read, write] = [join(root, from), join(target, to)];
    mkdirSync(dirname(write), { recursive: true });
    if (!from.endsWith('.md')) copyFileSync(read, write);
    else writeFileSync(write, rehomeLinks({ text: readFileSync(read, 'utf8'), from, to, placed }));
  }
};

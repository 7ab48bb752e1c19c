import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiDocument } from './api-document.js';
import type { Shown } from './contract.js';

/** Folder where the processes of a test run record the covered parts of the API. Unset: nothing is recorded. */
const folderVariable = 'FDS_CONTRACT_NOTES';
const documentEnding = '.openapi.json';
const notesEnding = '.ndjson';

const written = new Set<string>();

/** Records the parts that an exchange covered. */
export const noteShown = (shown: Shown): void => {
  const folder = process.env[folderVariable];
  if (folder === undefined) return;
  const line = `${JSON.stringify(shown)}\n`;
  if (written.has(line)) return;
  written.add(line);
  appendFileSync(join(folder, `${process.pid}${notesEnding}`), line);
};

/** Records the document that validates the answers. */
export const noteDocument = (document: ApiDocument): void => {
  const folder = process.env[folderVariable];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  // each process has a separate file, so that parallel test files do not overwrite each other's notes
  const file = join(folder, `${process.pid}${documentEnding}`);
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(document));
};

/** The parts of the API that a test run covered. @throws Error when no server was called */
export const readNotes = (folder: string): { document: ApiDocument; shown: readonly Shown[] } => {
  const names = readdirSync(folder);
  const document = names.find((name) => name.endsWith(documentEnding));
  if (document === undefined) throw new Error('no server was asked');
  const lines = names
    .filter((name) => name.endsWith(notesEnding))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'));
  return {
    document: JSON.parse(readFileSync(join(folder, document), 'utf8')) as ApiDocument,
    shown: lines.map((line) => JSON.parse(line) as Shown),
  };
};

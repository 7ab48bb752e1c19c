import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonValue } from '@fds/json';
import { readYaml, type RefusalCause, type YamlDocument } from '@fds/rest-facade/configuration';
import { usageFailure } from '../failure.js';

/** A document with its place. */
export interface FileDocument {
  readonly value: JsonValue;
  readonly file: string;
  readonly lineOf: YamlDocument['lineOf'];
}

/** A fault with its place. */
export interface PlacedFault extends Omit<RefusalCause, 'pointer'> {
  readonly place: string;
}

const maxFileBytes = 64 * 1024 * 1024;
const maxFiles = 100_000;

const isDocuments = (name: string): boolean => /\.(?:ya?ml|json)$/i.test(name);

const filesBelow = async (path: string): Promise<readonly string[]> => {
  const kind = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw usageFailure(`${path} cannot be read: ${error.code ?? error.message}`);
  });
  if (!kind.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && isDocuments(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    // .git and other hidden folders hold no documents
    .filter(
      (file) =>
        !file
          .slice(path.length)
          .split(/[\\/]/)
          .some((segment) => segment.startsWith('.')),
    );
  if (files.length > maxFiles) throw usageFailure(`${path} has more than ${maxFiles} files`);
  return files.toSorted();
};

/** Reads the documents of a file, or of all `.yaml`, `.yml` and `.json` files below a folder. @throws Failure 2 */
export const readDocumentFiles = async (
  path: string,
): Promise<{ readonly documents: readonly FileDocument[]; readonly faults: readonly PlacedFault[] }> => {
  const documents: FileDocument[] = [];
  const faults: PlacedFault[] = [];
  for (const file of await filesBelow(path)) {
    const { size } = await stat(file);
    if (size > maxFileBytes) throw usageFailure(`${file} has more than ${maxFileBytes} bytes`);
    const text = await readFile(file, 'utf8');
    const read = await readYaml(text, () => Promise.resolve());
    for (const { line, code, detail } of read.faults) faults.push({ place: `${file}:${line}`, code, detail });
    for (const { value, lineOf } of read.documents)
      // JSON may hold a list of documents
      if (Array.isArray(value))
        value.forEach((each: JsonValue, at) =>
          documents.push({ value: each, file, lineOf: (pointer) => lineOf(`/${at}${pointer}`) }),
        );
      else documents.push({ value, file, lineOf });
  }
  return { documents, faults };
};

/** The place in the files of a fault that the service found. */
export const placeOf = (documents: readonly FileDocument[], pointer: string): string => {
  const [, index = '', ...rest] = pointer.split('/');
  const document = documents[Number(index)];
  if (index === '' || document === undefined) return pointer;
  return `${document.file}:${document.lineOf(rest.map((segment) => `/${segment}`).join(''))}`;
};

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringifyJson } from '@fds/json';
import { isRefused, kinds, openReading, requireNamed, type Kind, type Shown } from '@fds/rest-facade/configuration';
import { stringify } from 'yaml';
import type { CommandContext } from '../command-context.js';
import { usageFailure } from '../failure.js';
import { printRows } from '../print-rows.js';

export interface GetOptions {
  readonly output: 'table' | 'json' | 'yaml';
  readonly json?: boolean;
}

/** A document of configuration. */
interface Document {
  readonly kind: string;
  readonly name: string;
  readonly spec: unknown;
}

const documentOf = async (kind: string, { name, spec }: Shown): Promise<Document> => ({
  kind,
  name,
  spec: await spec(),
});

/** YAML of documents. A reader of YAML 1.1 reads the same values, and integers keep their 64 bits. */
const writeYaml = (documents: readonly Document[]): string => {
  const options = { lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' } as const;
  return documents
    .map((document) => stringify(document, options))
    .join('---\n')
    .trimEnd();
};

const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value))
    return value.every((each) => typeof each === 'string') ? value.join(',') : String(value.length);
  return typeof value === 'string' ? value : stringifyJson(value);
};

/** COLUMN of `column`, SERVICE_ACCOUNT of `serviceAccount`. */
const headerOf = (column: string): string => column.replaceAll(/[A-Z]/g, '_$&').toUpperCase();

const printTable = ({ print }: CommandContext, { columns }: Kind, all: readonly Shown[]): void =>
  printRows(
    print,
    // the first column is the name of the document; a member of this name is shown as title
    ['NAME', ...columns.map((column) => (column === 'name' ? 'TITLE' : headerOf(column)))],
    all.map(({ name, resource }) => [name, ...columns.map((column) => cellOf(resource[column]))]),
  );

/** The kind of a word in any case, with or without an s at its end. @throws Failure 2 */
const requireKind = (word: string): Kind => {
  const bare = (text: string): string => text.toLowerCase().replace(/s$/, '');
  const found = kinds.find(({ kind }) => bare(kind) === bare(word));
  if (found === undefined)
    throw usageFailure(`${word} is not a kind: use one of ${kinds.map(({ kind }) => kind).join(', ')}`);
  return found;
};

/** `fds get <kind> [name]` */
export const get = async (
  context: CommandContext,
  word: string,
  name: string | undefined,
  { output, json }: GetOptions,
): Promise<void> => {
  const kind = requireKind(word);
  const reading = openReading(context.hub);
  const find = async (wanted: string): Promise<Shown> =>
    kind.find === undefined
      ? (requireNamed(kind.kind, wanted, await kind.list(reading)) as Shown)
      : kind.find(reading, wanted);
  const all = name === undefined ? await kind.list(reading) : [await find(name)];
  if (json === true || output === 'json') {
    const resources = all.map(({ resource }) => resource);
    return context.print(stringifyJson(name === undefined ? resources : resources[0], 2));
  }
  if (output === 'table') return printTable(context, kind, all);
  if (all.length === 0) return;
  context.print(writeYaml(await Promise.all(all.map((each) => documentOf(kind.kind, each)))));
};

const fileOf = ({ kind, name }: Document): string =>
  join(kind.toLowerCase(), `${name.replaceAll(/[^\w.-]/g, (character) => (character === '/' ? '__' : '_'))}.yaml`);

/** `fds export [-o dir]`: everything that the user may read, as documents. */
export const exportDocuments = async (
  context: CommandContext,
  { output }: { readonly output?: string },
): Promise<void> => {
  const reading = openReading(context.hub);
  const documents: Document[] = [];
  for (const kind of kinds) {
    try {
      for (const each of await kind.list(reading)) documents.push(await documentOf(kind.kind, each));
    } catch (error) {
      if (!isRefused(error, 403)) throw error;
      context.say(`${kind.kind} is left out: ${error.message}`);
    }
  }
  if (output === undefined) {
    if (documents.length > 0) context.print(writeYaml(documents));
    return;
  }
  const files = new Map<string, Document[]>();
  for (const document of documents) {
    const file = fileOf(document).toLowerCase();
    // names that differ in case or special characters only share a file
    files.set(file, [...(files.get(file) ?? []), document]);
  }
  for (const [file, own] of files) {
    const path = join(output, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${writeYaml(own)}\n`);
  }
  context.say(`${documents.length} documents in ${files.size} files below ${output}`);
};

import { isJsonObject, type JsonObject, type JsonValue } from '@fds/json';
import { kinds, type ListKind, type SingleKind } from './kinds.js';
import type { RefusalCause } from './rest-client.js';

export type DocumentKind = SingleKind | ListKind;

/** A document of configuration. */
export interface ConfigurationDocument {
  /** Position among the documents: pointers of faults start with it. */
  readonly index: number;
  readonly kind: DocumentKind;
  readonly name: string;
  readonly spec: JsonObject;
}

const members = new Set(['kind', 'name', 'spec']);
const kindNames = new Set(kinds.map(({ kind }) => kind));

/** Documents of one plan. */
const maxDocuments = 10_000;

/** Checks the form of documents. */
export const readDocuments = (values: JsonValue, faults: RefusalCause[]): readonly ConfigurationDocument[] => {
  const add = (pointer: string, code: string, detail: string): void => void faults.push({ pointer, code, detail });
  if (!Array.isArray(values)) {
    add('', 'WRONG_TYPE', 'the body is a list of documents');
    return [];
  }
  if (values.length > maxDocuments) {
    add('', 'TOO_MANY', `there are ${values.length} documents, and at most ${maxDocuments} are allowed`);
    return [];
  }
  const known = new Map<string, number>();
  return values.flatMap((value: JsonValue, index): ConfigurationDocument[] => {
    const at = `/${index}`;
    if (!isJsonObject(value)) {
      add(at, 'WRONG_TYPE', 'a document is an object with kind, name and spec');
      return [];
    }
    const before = faults.length;
    const { kind, name, spec = {} } = value;
    for (const member of Object.keys(value))
      if (!members.has(member)) add(`${at}/${member}`, 'UNKNOWN_MEMBER', `a document has no ${member}`);
    if (kind === undefined) add(`${at}/kind`, 'REQUIRED', 'kind is required');
    else if (typeof kind !== 'string' || !kindNames.has(kind))
      add(`${at}/kind`, 'NOT_ALLOWED', `kind ${JSON.stringify(kind)} is none of ${[...kindNames].join(', ')}`);
    if (name === undefined) add(`${at}/name`, 'REQUIRED', 'name is required');
    else if (typeof name !== 'string' || name === '') add(`${at}/name`, 'WRONG_TYPE', 'name is text');
    if (!isJsonObject(spec)) add(`${at}/spec`, 'WRONG_TYPE', 'spec is an object');
    if (faults.length > before || typeof kind !== 'string' || typeof name !== 'string') return [];
    const key = `${kind} ${name}`;
    const first = known.get(key);
    if (first !== undefined) {
      add(`${at}/name`, 'DUPLICATE_NAME', `${key} is in document ${first} already`);
      return [];
    }
    known.set(key, index);
    return [{ index, kind: kind as DocumentKind, name, spec: spec as JsonObject }];
  });
};

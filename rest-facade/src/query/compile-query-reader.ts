import { isStorableText } from '@fds/json';
import { LRUCache } from 'lru-cache';
import { maxPageSize } from '@fds/graphql';
import { getNullableType, isListType, type GraphQLInputType } from 'graphql';
import { compileWriter, type Writer } from '../answer/compile-writer.js';
import type { Shape } from '../answer/answer-shape.js';
import { parseProjection } from '../answer/projection.js';
import type { Reading } from '../causes/reading.js';
import type { QueryDeclaration } from '../route.js';
import { compileTextReader, TextFault, type TextReader } from './compile-text-reader.js';
import { parseTerms } from './parse-terms.js';

/** Query parameters of the HTTP server. A repeated parameter is a list. */
export type RawQuery = Readonly<Record<string, string | readonly string[]>>;

/** The content of a request's query string. */
export interface QueryRequest {
  readonly variables: Readonly<Record<string, unknown>>;
  /** Writes the resource, or each element of a list. */
  readonly write: Writer;
}

/** Reads a query string. The reading gets every fault, and faulty parameters are left out. */
export type QueryReader = (query: RawQuery, reading: Reading) => QueryRequest;

interface Target {
  readonly variable: string;
  /** The value is a list. A separate parameter has it separated by commas. */
  readonly isList: boolean;
  readonly read: TextReader;
}

type Targets = ReadonlyMap<string, Target>;

type Variables = Record<string, unknown>;

/** Reads the text of one parameter into variables. */
type ParameterReader = (text: string, variables: Variables, reading: Reading) => void;

const rememberedProjections = 100;

const readInto = (
  variables: Variables,
  { variable, read }: Target,
  given: { readonly name: string; readonly parts: readonly string[] },
  reading: Reading,
): void => {
  try {
    variables[variable] = read(given.parts);
  } catch (error) {
    if (!(error instanceof TextFault)) throw error;
    const advice = given.parts.some((part) => part.includes(';')) ? '; terms are separated by a comma, not by ";"' : '';
    reading.add({ pointer: given.name, code: 'WRONG_VALUE', detail: `${given.name} ${error.message}${advice}` });
  }
};

/** @param given variable that receives the keys */
const termsReader = (parameter: string, targets: Targets, given?: string): ParameterReader => {
  const allowed = [...targets.keys()].join(', ');
  return (text, variables, reading) => {
    const seen = new Set<string>();
    for (const { key, parts } of parseTerms(parameter, text, reading)) {
      const target = targets.get(key);
      if (target === undefined) {
        const code = `UNKNOWN_${parameter === 'filters' ? 'FILTER' : 'OPTION'}`;
        reading.add({ pointer: parameter, code, detail: `"${key}" is unknown; allowed: ${allowed}` });
      } else if (seen.has(key)) {
        reading.add({ pointer: parameter, code: 'DUPLICATE', detail: `"${key}" is given twice` });
      } else {
        seen.add(key);
        readInto(variables, target, { name: `${parameter}.${key}`, parts }, reading);
      }
    }
    if (given !== undefined) variables[given] = [...seen];
  };
};

/** Text that the operation parses. A given parameter must not be empty. */
const freeText =
  (name: 'query' | 'sort'): ParameterReader =>
  (text, variables, reading) => {
    if (text.trim() !== '') variables[name] = text;
    else reading.add({ pointer: name, code: 'WRONG_VALUE', detail: `${name} must not be empty` });
  };

const sortReader =
  (allowed: readonly string[]): ParameterReader =>
  (text, variables, reading) => {
    const keys = text.split(',').map((term) => term.trim().replace(/^-/, ''));
    for (const key of keys.filter((candidate) => !allowed.includes(candidate))) {
      const detail = `"${key}" is unknown; allowed: ${allowed.join(', ')}`;
      reading.add({ pointer: 'sort', code: 'UNKNOWN_SORT', detail });
    }
    variables['sort'] = text;
  };

const rangeReader =
  (name: 'page' | 'size', minimum: number, maximum: number): ParameterReader =>
  (text, variables, reading) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) variables[name] = value;
    else {
      const detail = `${name} must be an integer from ${minimum} to ${maximum}`;
      reading.add({ pointer: name, code: 'OUT_OF_RANGE', detail });
    }
  };

const targetsOf = (
  names: Readonly<Record<string, string>> | undefined,
  types: ReadonlyMap<string, GraphQLInputType>,
): Targets =>
  new Map(
    Object.entries(names ?? {}).map(([name, variable]) => {
      const type = types.get(variable);
      if (type === undefined) throw new Error(`the document has no variable $${variable}`);
      const isList = isListType(getNullableType(type));
      return [name, { variable, isList, read: compileTextReader(type) }] as const;
    }),
  );

const maxInt32 = 2 ** 31 - 1;

const parameterReaders = (
  declaration: QueryDeclaration,
  types: ReadonlyMap<string, GraphQLInputType>,
): Map<string, ParameterReader> => {
  const { filters, options, givenOptions, parameters, sort, search, paged } = declaration;
  const readers = new Map<string, ParameterReader>();
  for (const [name, target] of targetsOf(parameters, types)) {
    readers.set(name, (text, variables, reading) => {
      const parts = target.isList ? text.split(',') : [text];
      readInto(variables, target, { name, parts }, reading);
    });
  }
  if (paged === true) {
    readers.set('page', rangeReader('page', 0, maxInt32));
    readers.set('size', rangeReader('size', 1, maxPageSize));
  }
  if (filters !== undefined) readers.set('filters', termsReader('filters', targetsOf(filters, types)));
  if (options !== undefined) readers.set('options', termsReader('options', targetsOf(options, types), givenOptions));
  if (sort !== undefined) readers.set('sort', sort === 'anyProperty' ? freeText('sort') : sortReader(sort));
  if (search === true) readers.set('query', freeText('query'));
  return readers;
};

/**
 * Compiles the reader of a route's query string.
 *
 * @param types of the document's variables
 * @param answer the shape of the resource, and whether `fields` may select from it
 * @throws Error when the declaration names a variable that the document lacks
 */
export const compileQueryReader = (
  declaration: QueryDeclaration,
  types: ReadonlyMap<string, GraphQLInputType>,
  answer: { readonly shape: Shape; readonly selectable: 'fields' | 'whole' },
): QueryReader => {
  const readers = parameterReaders(declaration, types);
  const writeAll = compileWriter(answer.shape);
  const withoutQuery: QueryRequest = { variables: declaration.withoutQuery ?? {}, write: writeAll };
  const allowed = [...readers.keys(), ...(answer.selectable === 'fields' ? ['fields'] : [])].join(', ');
  const projected = new LRUCache<string, Writer>({ max: rememberedProjections });

  const writerOf = (fields: string, reading: Reading): Writer => {
    const known = projected.get(fields);
    if (known !== undefined) return known;
    const projection = parseProjection(fields, answer.shape, reading);
    if (projection === undefined) return writeAll;
    const writer = compileWriter(answer.shape, projection);
    projected.set(fields, writer);
    return writer;
  };

  return (query, reading) => {
    const names = Object.keys(query);
    if (names.length === 0) return withoutQuery;
    const variables: Variables = {};
    let write = writeAll;
    for (const name of names) {
      const text = query[name];
      if (typeof text !== 'string') {
        reading.add({ pointer: name, code: 'DUPLICATE', detail: `${name} is given twice` });
      } else if (!isStorableText(text)) {
        const detail = `${name} holds a character that cannot be stored`;
        reading.add({ pointer: name, code: 'INVALID_CHARACTER', detail });
      } else if (name === 'fields' && answer.selectable === 'fields') {
        write = writerOf(text, reading);
      } else {
        const read = readers.get(name);
        if (read !== undefined) read(text, variables, reading);
        else {
          const detail = `"${name}" is unknown; allowed: ${allowed === '' ? 'none' : allowed}`;
          reading.add({ pointer: name, code: 'UNKNOWN_PARAMETER', detail });
        }
      }
    }
    return { variables, write };
  };
};

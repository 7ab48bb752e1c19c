import type { Operation, Parameter, Schema } from './api-document.js';

/** A value in a query string, with the schema for it. */
interface GivenValue {
  /** `page`, `filters.name`, `sort.name`. */
  readonly name: string;
  readonly schema: Schema;
  readonly value: unknown;
}

/** The content of a query string according to the document. */
export interface GivenQuery {
  readonly values: readonly GivenValue[];
  /** Names that are not in the document. */
  readonly unknown: readonly string[];
}

/** Splits at a separator outside of double quotes. */
const cut = (text: string, separator: ',' | ':'): string[] => {
  const parts = [''];
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '"') quoted = !quoted;
    if (character === separator && !quoted) parts.push('');
    else parts[parts.length - 1] += character === '\\' && quoted ? text.charAt((index += 1)) : character;
  }
  return parts;
};

const unquoted = (text: string): string => {
  const bare = text.replace(/^"([\s\S]*)"$/, '$1');
  try {
    return decodeURIComponent(bare);
  } catch {
    // a literal percent sign
    return bare;
  }
};

const typesOf = ({ type }: Schema): readonly unknown[] => (Array.isArray(type) ? type : [type]);

/** The text as a value of the schema's type. Values of enums may be in lower case. */
const toValue = (parts: readonly string[], schema: Schema): unknown => {
  const types = typesOf(schema);
  const [text = ''] = parts;
  if (types.includes('array')) return parts.map((part) => toValue([part], schema['items'] as Schema));
  if (types.includes('integer') || types.includes('number')) return text === '' ? text : Number(text);
  if (types.includes('boolean')) return text === 'true' || (text === 'false' ? false : text);
  if (Array.isArray(schema['enum'])) return text.toUpperCase();
  return text;
};

const readTerms = ({ name, 'x-keys': keys = {} }: Parameter, text: string): GivenQuery => {
  const terms = cut(text, ',').map((term) => cut(term, ':').map((part) => unquoted(part.trim())));
  return {
    unknown: terms.flatMap(([key = '']) => (key in keys ? [] : [`${name}.${key}`])),
    values: terms.flatMap(([key = '', ...parts]) => {
      const schema = keys[key];
      return schema === undefined ? [] : [{ name: `${name}.${key}`, schema, value: toValue(parts, schema) }];
    }),
  };
};

const readSort = ({ 'x-keys': keys }: Parameter, text: string): GivenValue[] =>
  keys === undefined
    ? []
    : text.split(',').map((key) => ({ name: `sort.${key.replace(/^-/, '')}`, schema: {}, value: key }));

const readParameter = (parameter: Parameter, text: string): GivenQuery => {
  const { name, schema } = parameter;
  if (name === 'filters' || name === 'options') return readTerms(parameter, text);
  const value = toValue(typesOf(schema).includes('array') ? text.split(',') : [text], schema);
  return { unknown: [], values: [{ name, schema, value }, ...(name === 'sort' ? readSort(parameter, text) : [])] };
};

/** Reads a query string according to the document. */
export const readQuery = ({ parameters }: Operation, query: URLSearchParams): GivenQuery => {
  const read = [...query].map(([name, text]): GivenQuery => {
    const parameter = parameters.find((candidate) => candidate.in === 'query' && candidate.name === name);
    return parameter === undefined ? { values: [], unknown: [name] } : readParameter(parameter, text);
  });
  return { values: read.flatMap(({ values }) => values), unknown: read.flatMap(({ unknown }) => unknown) };
};

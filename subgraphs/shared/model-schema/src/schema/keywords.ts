import type { ScalarType } from '../model-property.js';

/** The kinds of nodes of a model schema. */
export type SchemaKind = ScalarType | 'array' | 'object' | 'reference';

/**
 * Keywords allowed in addition to `type` (docs/reference/model-schema.md#model-schema), per kind. `required` is read
 * apart.
 */
const keywordsOf: Readonly<Record<SchemaKind, ReadonlySet<string>>> = {
  string: new Set(['minLength', 'maxLength', 'pattern', 'format', 'enum', 'default', 'title', 'description']),
  integer: new Set(['minimum', 'maximum', 'enum', 'default', 'title', 'description']),
  number: new Set(['minimum', 'maximum', 'enum', 'default', 'title', 'description']),
  boolean: new Set(['default', 'title', 'description']),
  array: new Set(['items', 'minItems', 'maxItems', 'title', 'description']),
  object: new Set(['properties', 'title', 'description']),
  reference: new Set(['$ref', 'description', 'query', 'multivalued', 'sort', 'limit']),
};

/** Keywords of the top of a model schema. `type` may only be `object`. */
export const topLevelKeywords: ReadonlySet<string> = new Set([
  '$id',
  '$schema',
  'title',
  'description',
  'type',
  'properties',
  'required',
  'propertyGroups',
]);

/** A `type` as posted, in the standard spelling. */
export interface TypeSpelling {
  readonly kind: Exclude<SchemaKind, 'reference'>;
  /** Format that the spelling implies. */
  readonly format?: string;
}

/** Spellings of `type` (docs/reference/model-schema.md#other-spellings); `enum` is read apart. */
export const typeSpellings: ReadonlyMap<string, TypeSpelling> = new Map<string, TypeSpelling>([
  ['string', { kind: 'string' }],
  ['integer', { kind: 'integer' }],
  ['number', { kind: 'number' }],
  ['boolean', { kind: 'boolean' }],
  ['array', { kind: 'array' }],
  ['object', { kind: 'object' }],
  ['int', { kind: 'integer' }],
  ['long', { kind: 'integer' }],
  ['uri', { kind: 'string', format: 'uri' }],
  ['URI', { kind: 'string', format: 'uri' }],
]);

/** May a property of this kind list its values? */
export const hasEnum = (kind: SchemaKind): boolean => keywordsOf[kind].has('enum');

const boundSpellings: Readonly<Partial<Record<SchemaKind, Readonly<Record<string, string>>>>> = {
  string: { min: 'minLength', max: 'maxLength' },
  integer: { min: 'minimum', max: 'maximum' },
  number: { min: 'minimum', max: 'maximum' },
};

/** The standard spelling of a keyword, or undefined when the kind does not have it. */
export const standardKeyword = (kind: SchemaKind, keyword: string): string | undefined => {
  const standard = (keyword === 'min' || keyword === 'max' ? boundSpellings[kind]?.[keyword] : undefined) ?? keyword;
  return keywordsOf[kind].has(standard) ? standard : undefined;
};

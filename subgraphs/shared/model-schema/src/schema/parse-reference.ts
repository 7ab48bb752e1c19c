import { foldName } from '../names/property-name.js';
import type { Reference } from '../model-property.js';
import type { SchemaNode } from './schema-node.js';

const target = /^\/domains\/([A-Za-z][A-Za-z0-9_-]{1,127}):v([1-9]\d{0,8})(?:\/([A-Za-z_][A-Za-z0-9_-]{0,63}))?$/;
const sortTerm = /^-?[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
// a brace ends the search for the closing one: time stays linear
const parentField = /\$\{([^{}]*)\}/g;

/** The target as it is written in `$ref`. */
export const formatReference = ({ domain, version, property }: Reference): string =>
  `/domains/${domain}:v${version}${property === undefined ? '' : `/${property}`}`;

/** Names in `${...}` of a linking expression: the parent's fields it reads. */
const parentFieldsOf = (query: string): readonly string[] =>
  [...query.matchAll(parentField)].map((match) => (match[1] ?? '').trim());

/**
 * Reads a cross-reference (server.md, Model schema). Whether its target exists is the catalogue's question.
 *
 * @param drKeys folded names of the DR Key properties: the only ones a linking expression may read of the parent
 */
export const parseReference = (node: SchemaNode, drKeys: ReadonlySet<string>): Reference | undefined => {
  const text = node.text('$ref');
  const match = text === undefined ? undefined : target.exec(text);
  if (text !== undefined && !match) {
    node.fault('$ref', 'INVALID_REFERENCE', 'a $ref is /domains/<domain>:v<version>, optionally with /<property>');
  }
  node.text('description');
  const query = node.text('query');
  for (const field of query === undefined ? [] : parentFieldsOf(query)) {
    if (!drKeys.has(foldName(field))) {
      node.fault('query', 'NOT_A_DR_KEY', 'a linking expression reads DR Key properties of the parent only');
    }
  }
  const multivalued = node.flag('multivalued') ?? false;
  const sort = node.text('sort');
  if (sort !== undefined && !sortTerm.test(sort)) {
    node.fault('sort', 'INVALID_SORT', 'sort is a property name, with a leading dash for descending');
  }
  const limit = node.count('limit');
  if (!match) return undefined;
  const [, domain = '', version = '', property] = match;
  return {
    domain,
    version: Number(version),
    ...(property === undefined ? {} : { property }),
    ...(query === undefined ? {} : { query }),
    multivalued,
    ...(sort === undefined ? {} : { sort }),
    ...(limit === undefined ? {} : { limit }),
  };
};

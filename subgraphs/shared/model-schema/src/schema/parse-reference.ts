import { shownValue } from '../shown-value.js';
import { AppError } from '@fds/errors';
import { parseSearchQuery, placeholdersOf } from '@fds/search';
import { foldName } from '../names/property-name.js';
import type { Reference } from '../model-property.js';
import type { SchemaNode } from './schema-node.js';

const target = /^\/domains\/([A-Za-z][A-Za-z0-9_-]{1,127}):v([1-9]\d{0,8})(?:\/([A-Za-z_][A-Za-z0-9_-]{0,63}))?$/;
const sortTerm = /^-?[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** The target as it is written in `$ref`. */
export const formatReference = ({ domain, version, property }: Reference): string =>
  `/domains/${domain}:v${version}${property === undefined ? '' : `/${property}`}`;

/** State that the references of one model share. */
export interface LinkingContext {
  /** Folded names of the DR Key properties: a linking expression may read only these from the parent. */
  readonly drKeys: ReadonlySet<string>;
  /** Characters of linking expressions met so far. */
  readonly met: { queryLength: number };
}

/** Limit for all linking expressions of a model: parsing them takes time. */
const maxQueryLength = 100_000;

/** The linking expression. It reads only DR Key properties of the parent; the catalogue checks the target's. */
const readQuery = (node: SchemaNode, { drKeys, met }: LinkingContext): string | undefined => {
  const text = node.text('query');
  if (text === undefined) return undefined;
  met.queryLength += text.length;
  if (met.queryLength > maxQueryLength) {
    return node.fault('query', 'TOO_LARGE', `a model has up to ${maxQueryLength} characters of linking expressions`);
  }
  try {
    for (const field of placeholdersOf(parseSearchQuery(text, { placeholders: 'allowed' }))) {
      if (drKeys.has(foldName(field))) continue;
      node.fault(
        'query',
        'NOT_A_DR_KEY',
        `the expression reads ${shownValue(field)}; it reads DR Key properties of the parent only`,
      );
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    node.fault('query', 'INVALID_QUERY', error.message);
  }
  return text;
};

/**
 * Reads a cross-reference (docs/reference/model-schema.md#cross-references). Whether its target exists is the catalogue's question.
 */
export const parseReference = (node: SchemaNode, context: LinkingContext): Reference | undefined => {
  const text = node.text('$ref');
  const match = text === undefined ? undefined : target.exec(text);
  if (text !== undefined && !match) {
    node.fault(
      '$ref',
      'INVALID_REFERENCE',
      `a $ref is /domains/<domain>:v<version>, optionally with /<property>, not ${shownValue(text)}`,
    );
  }
  node.text('description');
  const query = readQuery(node, context);
  const multivalued = node.flag('multivalued') ?? false;
  const sort = node.text('sort');
  if (sort !== undefined && !sortTerm.test(sort)) {
    node.fault(
      'sort',
      'INVALID_SORT',
      `sort is a property name, with a leading dash for descending, not ${shownValue(sort)}`,
    );
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

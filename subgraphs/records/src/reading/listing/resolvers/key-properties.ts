import type { VersionAccess } from '@fds/access-rules';
import { AppError } from '@fds/errors';
import { parseSort, requireShortSort } from '@fds/graphql';
import {
  checkSearchQuery,
  comparisonOf,
  listingPropertiesOf,
  parseSearchQuery,
  type SearchCondition,
  type SearchProperty,
  searchPropertiesOf,
  type SortTerm,
} from '@fds/search';
import type { DomainVersionView } from '../../../domain/catalog.js';

/**
 * A version whose listings may be searched and sorted; a restricted version by properties that are visible in at least
 * one record.
 */
export interface SearchedVersion extends Pick<DomainVersionView, 'model'> {
  readonly restriction?: VersionAccess | undefined;
}

const keyPropertiesOf = ({ model, restriction }: SearchedVersion): readonly SearchProperty[] => {
  const properties = searchPropertiesOf(model);
  return restriction === undefined ? properties : properties.filter(({ name }) => restriction.isEverAllowed(name));
};

/** Those of the DR Key, and the search properties of a data-store version. */
const listedPropertiesOf = ({ model, restriction }: SearchedVersion): readonly SearchProperty[] => {
  const properties = listingPropertiesOf(model);
  return restriction === undefined
    ? properties
    : properties.filter(({ name, dataPath }) => restriction.isEverAllowed(dataPath?.[0] ?? name));
};

/** Names of properties match ignoring case. */
const inSpelling = (sort: string, names: readonly string[]): string =>
  sort
    .split(',')
    .map((part) => {
      const [, sign = '', name = ''] = /^\s*(-?)(.*?)\s*$/s.exec(part) ?? [];
      return sign + (names.find((each) => each.toLowerCase() === name.toLowerCase()) ?? name);
    })
    .join(',');

/** Reads `a,-b` against the properties that listings are sorted by. @throws AppError INVALID_PARAMETER */
export const readOrder = (version: SearchedVersion | undefined, sort: string | null | undefined): SortTerm[] => {
  if (typeof sort === 'string') requireShortSort(sort);
  const keys = version === undefined ? [] : listedPropertiesOf(version);
  const names = keys.map(({ name }) => name);
  return parseSort(sort === null || sort === undefined ? sort : inSpelling(sort, names), names).flatMap(
    ({ field, descending }) => {
      const property = keys.find(({ name }) => name === field);
      return property === undefined ? [] : [{ property, descending }];
    },
  );
};

const valueForms: Readonly<Record<SearchProperty['type'], RegExp>> = {
  string: /^/,
  integer: /^-?\d{1,19}$/,
  number: /^-?\d{1,300}(?:\.\d{1,300})?(?:[eE][+-]?\d{1,3})?$/,
  boolean: /^(?:true|false)$/,
};

const refuse = (detail: string): never => {
  throw new AppError('INVALID_PARAMETER', 'drKey is not valid', {
    errors: [{ pointer: 'drKey', code: 'INVALID_VALUE', detail }],
  });
};

/** Reads `<property>=<value>`. @throws AppError INVALID_PARAMETER */
export const readKeyFilter = (
  version: SearchedVersion | undefined,
  text: string,
): { readonly property: SearchProperty; readonly value: string } => {
  if (version === undefined) return refuse('needs the domain to be named');
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0)).trim();
  const property = keyPropertiesOf(version).find((key) => key.name.toLowerCase() === name.toLowerCase());
  if (property === undefined) {
    const names = keyPropertiesOf(version).map((key) => key.name);
    return refuse(`must be <property>=<value> with one of ${names.join(', ')}`);
  }
  const value = text.slice(at + 1);
  const form = comparisonOf(property) === 'number' ? 'number' : property.type;
  if (!valueForms[property.type === 'integer' ? 'integer' : form].test(value) || value.includes('\0')) {
    return refuse(`the value of ${property.name} must be of type ${property.type}`);
  }
  return { property, value };
};

/**
 * Reads a search expression against the properties that listings are searched by; the blank one asks for nothing.
 *
 * @throws AppError INVALID_QUERY with `position`, INVALID_PARAMETER where no version is named
 */
export const readCondition = (
  version: SearchedVersion | undefined,
  query: string | null | undefined,
): { readonly condition?: SearchCondition } => {
  if (query === null || query === undefined || query.trim() === '') return {};
  if (version === undefined) {
    throw new AppError('INVALID_PARAMETER', 'a search needs the domain to be named', {
      errors: [{ pointer: 'domainName', code: 'REQUIRED', detail: 'give the name of the domain that is searched' }],
    });
  }
  return { condition: checkSearchQuery(parseSearchQuery(query), listedPropertiesOf(version)) };
};

import { AppError } from '@fds/errors';
import type { ScalarProperty } from '@fds/model-schema';
import { parseSort } from '@fds/graphql';
import type { DomainVersionView } from '../domain/catalog.js';
import type { KeyProperty, ListingOrder } from '../store/list-records.js';

const known = new WeakMap<DomainVersionView, readonly KeyProperty[]>();

/** The DR Key properties of a version with their types, worked out once per version. */
const keyPropertiesOf = (version: DomainVersionView): readonly KeyProperty[] => {
  const before = known.get(version);
  if (before !== undefined) return before;
  const { drKeyProperties, properties } = version.model;
  const isScalar = (property: { readonly type: string }): property is ScalarProperty =>
    ['string', 'integer', 'number', 'boolean'].includes(property.type);
  const keys = drKeyProperties.map((name) => {
    const property = properties.find((candidate) => candidate.name === name);
    return { name, type: property !== undefined && isScalar(property) ? property.type : ('string' as const) };
  });
  known.set(version, keys);
  return keys;
};

/** Reads `a,-b` against the DR Key properties. @throws AppError INVALID_PARAMETER */
export const readOrder = (version: DomainVersionView | undefined, sort: string | null | undefined): ListingOrder[] => {
  const keys = version === undefined ? [] : keyPropertiesOf(version);
  return parseSort(
    sort,
    keys.map(({ name }) => name),
  ).flatMap(({ field, descending }) => {
    const property = keys.find(({ name }) => name === field);
    return property === undefined ? [] : [{ property, descending }];
  });
};

const valueForms: Readonly<Record<KeyProperty['type'], RegExp>> = {
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
  version: DomainVersionView | undefined,
  text: string,
): { readonly property: KeyProperty; readonly value: string } => {
  if (version === undefined) return refuse('needs the domain to be named');
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0)).trim();
  const property = keyPropertiesOf(version).find((key) => key.name.toLowerCase() === name.toLowerCase());
  if (property === undefined) {
    return refuse(`must be <property>=<value> with one of ${version.model.drKeyProperties.join(', ')}`);
  }
  const value = text.slice(at + 1);
  if (!valueForms[property.type].test(value) || value.includes('\0')) {
    return refuse(`the value of ${property.name} must be of type ${property.type}`);
  }
  return { property, value };
};

/** @throws AppError INVALID_QUERY when there is an expression: it must not be ignored */
export const refuseExpression = (query: string | null | undefined): void => {
  if (query === null || query === undefined || query.trim() === '') return;
  throw new AppError('INVALID_QUERY', 'search expressions are not available yet', { details: { position: 0 } });
};

import { exactTypesWithJsonText, type Queryable } from '@fds/database';
import { takesEveryKey, type ListingFilter, type RowSource, type Writing } from '@fds/record-rows';
import { createSqlParameters, loadDatabaseFeatures } from '@fds/search-sql';
import { LRUCache } from 'lru-cache';
import { hash } from 'node:crypto';
import { createPreparedSearches, hasOnePlan } from './prepared-searches.js';

/** @param shape OWN: the statement names the version, so that its indexes may serve */
export const startWriting = async (
  client: Queryable,
  filter: ListingFilter,
  shape: 'COMMON' | 'OWN',
): Promise<Writing> => {
  const parameters = createSqlParameters();
  const uuid = filter.version?.uuid;
  if (uuid === undefined) return { parameters, features: await loadDatabaseFeatures(client), version: 'NULL' };
  // a partial index is only considered where the statement itself names the version
  const version = shape === 'OWN' ? `'${uuid.replaceAll("'", "''")}'::uuid` : `${parameters.add(uuid)}::uuid`;
  return { parameters, features: await loadDatabaseFeatures(client), version };
};

const preparedSearches = createPreparedSearches();

/** Names of the statements of listings by their text: a digest costs more than finding one. */
const listingNames = new LRUCache<string, string>({
  max: 1_000,
  maxSize: 2 ** 20,
  sizeCalculation: (_name, text) => 2 * text.length + 1,
});

const listingName = (text: string): string => {
  const known = listingNames.get(text);
  if (known !== undefined) return known;
  const name = `records-list-${hash('sha1', text).slice(0, 32)}`;
  listingNames.set(text, name);
  return name;
};

export const isCommon = (filter: ListingFilter): boolean => takesEveryKey(filter) && filter.visibility === undefined;

const nameOf = (text: string, filter: ListingFilter, shape: 'COMMON' | 'OWN'): string | undefined => {
  if (shape === 'COMMON') return listingName(text);
  const isPlain = isCommon(filter) && filter.drUuids === undefined;
  return isPlain || (hasOnePlan(filter.condition) && filter.drKey === undefined)
    ? preparedSearches.nameOf(text)
    : undefined;
};

/**
 * Listings without search have few shapes and are prepared once a connection; so are simple searches that are asked for
 * often. Others are planned with their values.
 */
export const runListing = async <Row extends object>(
  client: Queryable,
  text: string,
  {
    filter,
    writing,
    shape,
  }: { readonly filter: ListingFilter; readonly writing: Writing; readonly shape: 'COMMON' | 'OWN' },
): Promise<Row[]> => {
  const name = nameOf(text, filter, shape);
  const values = [...writing.parameters.values];
  const types = exactTypesWithJsonText;
  return (await client.query<Row>({ ...(name === undefined ? {} : { name }), text, values, types })).rows;
};

export const writeWhere = ({ from, where }: RowSource): string =>
  `FROM ${from}${where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`}`;

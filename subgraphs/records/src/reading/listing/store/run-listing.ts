import { exactTypesWithJsonText, type Queryable } from '@fds/database';
import {
  type ListingFilter,
  type RowSource,
  type Writing,
  createSqlParameters,
  loadDatabaseFeatures,
} from '@fds/search';
import { hash } from 'node:crypto';
import type { KeptPlan } from '../domain/plan-page.js';

/** Begins a statement. Unless its plan is kept for all versions, it names the version, so that the version's indexes may serve. */
export const startWriting = async (
  client: Queryable,
  filter: ListingFilter,
  keptPlan: KeptPlan = 'NONE',
): Promise<Writing> => {
  const parameters = createSqlParameters();
  const uuid = filter.version?.uuid;
  if (uuid === undefined) return { parameters, features: await loadDatabaseFeatures(client), version: 'NULL' };
  // a partial index is only considered where the statement itself names the version
  const version =
    keptPlan === 'ALL_VERSIONS' ? `${parameters.add(uuid)}::uuid` : `'${uuid.replaceAll("'", "''")}'::uuid`;
  return { parameters, features: await loadDatabaseFeatures(client), version };
};

/**
 * Runs a statement of a listing. A statement whose plan is kept is prepared on its connection, which deallocates those that were not
 * used for longest.
 */
export const runListing = async <Row extends object>(
  client: Queryable,
  text: string,
  { parameters }: Writing,
  keptPlan: KeptPlan,
): Promise<Row[]> => {
  const name = keptPlan === 'NONE' ? {} : { name: `records-list-${hash('sha1', text).slice(0, 32)}` };
  const { rows } = await client.query<Row>({
    ...name,
    text,
    values: [...parameters.values],
    types: exactTypesWithJsonText,
  });
  return rows;
};

export const writeWhere = ({ from, where }: RowSource): string =>
  `FROM ${from}${where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`}`;

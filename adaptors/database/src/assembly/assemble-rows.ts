import {
  stringifyJson,
  type AnsweredRecord,
  type AssemblyRequest,
  type JsonObject,
  type RequestedRecord,
} from '@fds/adaptor-protocol';
import type { Assembled } from '@fds/adaptor-sdk';
import { parseTimestamp } from '../columns/timestamp-text.js';
import { lookupBy } from '../incoming/apply-event.js';
import type { SourceRow } from '../source/source-row.js';
import type { ColumnValues, SourceTable } from '../source/source-table.js';

const defaultPageSize = 100;

/** The values of these properties as text: what makes a row the one of a DR Key. */
const identityOf = (names: readonly string[], properties: JsonObject): string =>
  stringifyJson(names.map((name) => properties[name] ?? null));

const pick = (record: JsonObject, requested: readonly string[] | null): JsonObject =>
  requested === null ? record : Object.fromEntries(Object.entries(record).filter(([name]) => requested.includes(name)));

const toAnswer = (
  row: SourceRow,
  drKey: JsonObject,
  { requestedProperties }: AssemblyRequest,
  drUuid?: string,
): AnsweredRecord => {
  const changed = row.modified === null ? undefined : parseTimestamp(row.modified);
  return {
    ...(drUuid === undefined ? {} : { drUuid }),
    drKey,
    data: pick(row.record, requestedProperties),
    ...(changed === undefined ? {} : { lastUpdated: Number(changed / 1000n) }),
  };
};

const answerRecords = async (
  table: SourceTable,
  records: readonly RequestedRecord[],
  request: AssemblyRequest,
): Promise<Assembled> => {
  const lookups = records
    .map(({ drKey }) => lookupBy(table, drKey))
    .filter((lookup): lookup is ColumnValues => lookup !== undefined);
  const { rows } = await table.findAny(lookups);
  return {
    records: records.flatMap(({ drUuid, drKey }) => {
      const names = Object.keys(drKey);
      const row = rows.find(({ record }) => identityOf(names, record) === identityOf(names, drKey));
      return row === undefined ? [] : [toAnswer(row, drKey, request, drUuid)];
    }),
  };
};

/**
 * Reads live rows: those of the named records by their DR Keys in one statement, or a page of the table.
 *
 * @param drKeyProperties of the domain version
 */
export const assembleRows = async (
  table: SourceTable,
  drKeyProperties: readonly string[],
  request: AssemblyRequest,
): Promise<Assembled> => {
  if (request.records !== null) return answerRecords(table, request.records, request);
  const size = request.size ?? defaultPageSize;
  const { rows, total } = await table.page((request.page ?? 0) * size, size);
  const drKeyOf = ({ record }: SourceRow): JsonObject =>
    Object.fromEntries(drKeyProperties.map((name) => [name, record[name] ?? null]));
  return { records: rows.map((row) => toAnswer(row, drKeyOf(row), request)), totalElements: total };
};

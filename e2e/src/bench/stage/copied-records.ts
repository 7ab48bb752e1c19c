import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Leftovers } from '../../harness/leftovers.js';

/** Rows of `data_record` in the format of COPY, and only their JSON. */
export interface RecordLines {
  readonly records: readonly Buffer[];
  readonly json: readonly Buffer[];
  readonly count: number;
}

const linesPerChunk = 1000;

const toChunks = (lines: readonly string[]): Buffer[] =>
  Array.from({ length: Math.ceil(lines.length / linesPerChunk) }, (_, index) =>
    Buffer.from(lines.slice(index * linesPerChunk, (index + 1) * linesPerChunk).join('')),
  );

const escape = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r');

/** Reads the newest records of a version back, and checks their number. */
export const readRecordLines = async (
  client: pg.Client,
  domainVersionUuid: string,
  count: number,
): Promise<RecordLines> => {
  const { rows } = await client.query<(string | null)[]>({
    text: `SELECT uuid::text, domain_version_uuid::text, key_digest::text, dr_key::text, json::text, created_by_uuid::text
           FROM data_record WHERE domain_version_uuid = $1 ORDER BY uuid DESC LIMIT $2`,
    values: [domainVersionUuid, count],
    rowMode: 'array',
  });
  if (rows.length !== count) throw new Error(`${count} records were imported, there are ${rows.length}`);
  rows.reverse();
  const line = (values: readonly (string | null)[]): string =>
    `${values.map((value) => (value === null ? '\\N' : escape(value))).join('\t')}\n`;
  return { records: toChunks(rows.map(line)), json: toChunks(rows.map((row) => line([row[4] ?? null]))), count };
};

/** Copies rows in the fastest way of PostgreSQL: one connection, one transaction. */
export interface Copier {
  /** Into the table of records with its indexes. */
  copyRecords(lines: RecordLines): Promise<void>;
  /** Into a table of one column, `jsonb`, without an index. */
  copyJson(lines: RecordLines): Promise<void>;
}

/** Opens a copier on a database with the service's tables. */
export const openCopier = async (leftovers: Leftovers, databaseUrl: string): Promise<Copier> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  leftovers.add(() => client.end());
  await client.query('CREATE TABLE bare_json (json jsonb)');
  const copy = async (into: string, chunks: readonly Buffer[]): Promise<void> => {
    await pipeline(Readable.from(chunks), client.query(copyFrom(`COPY ${into} FROM STDIN`)));
  };
  const columns = 'uuid, domain_version_uuid, key_digest, dr_key, json, created_by_uuid';
  return {
    copyRecords: ({ records }) => copy(`data_record (${columns})`, records),
    copyJson: ({ json }) => copy('bare_json (json)', json),
  };
};

import { binaryArray, type Database, type SqlClient, type Queryable } from '@fds/database';
import { parseJson, type JsonObject } from '@fds/json';
import type { CompiledMatching } from '@fds/matching';
import { compileModelSchema, preparePatterns } from '@fds/model-schema';
import { inTurns } from '@fds/service';
import { compileStoredMatching } from '../../catalog-view/compile-stored-matching.js';
import { saveMatchTokens } from './match-tokens.js';

/** Records that one transaction works on: their events wait as long. */
const pageSize = 1_000;

const loadMatching = async (
  client: Queryable,
  versionUuid: string,
  lock: '' | 'FOR SHARE' = '',
): Promise<CompiledMatching | undefined> => {
  const { rows } = await client.query<{
    readonly algorithm: string | null;
    readonly keys: string[];
    readonly schema: string;
  }>(
    `SELECT matching_algorithm AS algorithm, dr_key_properties AS keys, model_schema AS schema FROM domain_version WHERE uuid = $1 ${lock}`,
    [versionUuid],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const modelSchema = parseJson(row.schema);
  await inTurns(preparePatterns(modelSchema));
  const { model } = compileModelSchema({ modelSchema, drKeyProperties: row.keys });
  return model === undefined ? undefined : compileStoredMatching(row.algorithm, model);
};

const isComplete = async (client: Queryable, versionUuid: string, { tokens }: CompiledMatching): Promise<boolean> => {
  const { rows } = await client.query('SELECT FROM match_index WHERE domain_version_uuid = $1 AND fingerprint = $2', [
    versionUuid,
    tokens.fingerprint,
  ]);
  return rows.length > 0;
};

interface RecordKeys {
  readonly uuid: string;
  readonly keys: readonly JsonObject[];
}

/** The next records with their keys; no other transaction changes them until this one ends. */
const lockPage = async (client: SqlClient, versionUuid: string, after: string | undefined): Promise<RecordKeys[]> => {
  const { rows } = await client.query<{ readonly uuid: string }>(
    `SELECT uuid FROM data_record
     WHERE domain_version_uuid = $1 AND uuid > coalesce($2, '00000000-0000-0000-0000-000000000000')::uuid
     ORDER BY uuid LIMIT $3 FOR NO KEY UPDATE`,
    [versionUuid, after ?? null, pageSize],
  );
  const uuids = rows.map(({ uuid }) => uuid);
  if (uuids.length === 0) return [];
  const { rows: records } = await client.query<RecordKeys>(
    `SELECT r.uuid, jsonb_build_array(r.dr_key) || coalesce(
              (SELECT jsonb_agg(l.dr_key) FROM record_link l WHERE l.record_uuid = r.uuid), '[]') AS keys
     FROM data_record r WHERE r.uuid = ANY ($1::uuid[]) ORDER BY r.uuid`,
    [binaryArray.uuid(uuids)],
  );
  return records;
};

/** @returns the last record of the page; undefined: no record was left */
const buildPage = async (
  client: SqlClient,
  versionUuid: string,
  { tokens }: CompiledMatching,
  after: string | undefined,
): Promise<string | undefined> => {
  const records = await lockPage(client, versionUuid, after);
  const added = records.flatMap(({ uuid: recordUuid, keys }) =>
    [...new Set(keys.flatMap((key) => tokens.stored(key)))].map((token) => ({
      domainVersionUuid: versionUuid,
      token,
      recordUuid,
    })),
  );
  await saveMatchTokens(client, { added, deletedRecordUuids: records.map(({ uuid }) => uuid) });
  return records.at(-1)?.uuid;
};

/** Notes that the index is complete, unless the algorithm is another one by now. */
const complete = async (client: SqlClient, versionUuid: string, { tokens }: CompiledMatching): Promise<void> => {
  const current = await loadMatching(client, versionUuid, 'FOR SHARE');
  if (current?.tokens.fingerprint !== tokens.fingerprint) return;
  // tokens of deleted records
  await client.query(
    `DELETE FROM match_token t WHERE t.domain_version_uuid = $1
       AND NOT EXISTS (SELECT FROM data_record r WHERE r.uuid = t.record_uuid)`,
    [versionUuid],
  );
  await client.query(
    `INSERT INTO match_index (domain_version_uuid, fingerprint) VALUES ($1, $2)
     ON CONFLICT (domain_version_uuid) DO UPDATE SET fingerprint = excluded.fingerprint`,
    [versionUuid, tokens.fingerprint],
  );
};

const build = async (database: Database, versionUuid: string, signal: AbortSignal | undefined): Promise<void> => {
  for (;;) {
    const matching = await loadMatching(database.pool, versionUuid);
    if (matching === undefined || (await isComplete(database.pool, versionUuid, matching))) return;
    let after: string | undefined;
    do {
      if (signal?.aborted === true) return;
      const from = after;
      after = await database.transaction((client) => buildPage(client, versionUuid, matching, from));
    } while (after !== undefined);
    await database.transaction((client) => complete(client, versionUuid, matching));
  }
};

/**
 * Makes the tokens of a version's records, page by page, while records are read and written: transactions that know the
 * new algorithm add their tokens, and those that knew only the old one ended before it was saved. Several may be asked
 * for at once; one works, the others wait for it.
 *
 * @param signal stops after the page at hand; the index then stays incomplete
 */
export const buildMatchIndex = async (database: Database, versionUuid: string, signal?: AbortSignal): Promise<void> => {
  const client = await database.pool.connect();
  try {
    await client.query(`SELECT pg_advisory_lock(hashtextextended('match index ' || $1, 0))`, [versionUuid]);
    try {
      await build(database, versionUuid, signal);
    } finally {
      await client.query(`SELECT pg_advisory_unlock(hashtextextended('match index ' || $1, 0))`, [versionUuid]);
    }
  } finally {
    client.release();
  }
};

/** Removes the tokens of versions that match exactly by now, or are gone. */
export const removeUnusedTokens = async (database: Database): Promise<void> => {
  const { rows } = await database.pool.query<{ readonly uuid: string }>(
    'SELECT domain_version_uuid AS uuid FROM match_index WHERE fingerprint IS NULL',
  );
  for (const { uuid } of rows) {
    await database.transaction(async (client) => {
      // it stays EXACT until this is done: tokens that are made in the meantime would be deleted too
      if ((await loadMatching(client, uuid, 'FOR SHARE')) !== undefined) return;
      await client.query('DELETE FROM match_index WHERE domain_version_uuid = $1', [uuid]);
      await client.query('DELETE FROM match_token WHERE domain_version_uuid = $1', [uuid]);
    });
  }
};

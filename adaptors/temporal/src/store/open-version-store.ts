import { createHash } from 'node:crypto';
import { parseJson, stringifyJson, type JsonObject, type JsonValue } from '@fds/adaptor-sdk';
import { nextVersion } from '../events/next-version.js';
import type { RecordChange, RecordVersion } from '../events/record-version.js';
import type { SqlRow, SqlSession, SqlValue } from './sql-session.js';
import type { HandlerKey, Moment, VersionStore } from './version-store.js';

/** An empty `source_adaptor_uuid` means no adaptor. `state` and `source_state` are null where they equal `change`: most events have the whole record of one source. */
const schema = [
  `CREATE TABLE IF NOT EXISTS fds_record_version (
     adaptor_uuid TEXT NOT NULL, domain TEXT NOT NULL, version INTEGER NOT NULL, dr_uuid TEXT NOT NULL,
     number BIGINT NOT NULL, valid_from BIGINT NOT NULL, action TEXT NOT NULL, source_adaptor_uuid TEXT NOT NULL,
     transaction_uuid TEXT NOT NULL, digest TEXT NOT NULL, dr_key TEXT NOT NULL,
     change TEXT, state TEXT, source_state TEXT,
     PRIMARY KEY (adaptor_uuid, domain, version, dr_uuid, number))`,
  `CREATE UNIQUE INDEX IF NOT EXISTS fds_record_version_change
     ON fds_record_version (adaptor_uuid, domain, version, dr_uuid, transaction_uuid, digest)`,
  `CREATE INDEX IF NOT EXISTS fds_record_version_moment
     ON fds_record_version (adaptor_uuid, domain, version, dr_uuid, valid_from, number)`,
  `CREATE INDEX IF NOT EXISTS fds_record_version_age ON fds_record_version (adaptor_uuid, valid_from)`,
];

const columns = 'dr_uuid, number, valid_from, action, source_adaptor_uuid, dr_key, change, state, source_state';
/** Maximum number of records that one statement names. */
const listSize = 200;

const textOf = (value: SqlValue | undefined): string => (typeof value === 'string' ? value : '');
const objectOf = (text: SqlValue | undefined): JsonObject => parseJson(textOf(text)) as JsonObject;

const toVersion = (row: SqlRow): RecordVersion => {
  const action = row['action'] as RecordVersion['action'];
  const isDeleted = action === 'DELETE';
  return {
    drUuid: textOf(row['dr_uuid']),
    number: Number(row['number']),
    at: Number(row['valid_from']),
    action,
    sourceAdaptorUuid: textOf(row['source_adaptor_uuid']) || null,
    drKeyValues: parseJson(textOf(row['dr_key'])) as JsonValue[],
    state: isDeleted ? null : objectOf(row['state'] ?? row['change']),
    sourceState: isDeleted ? null : objectOf(row['source_state'] ?? row['change']),
  };
};

const digestOf = ({ action }: RecordChange, content: string): string =>
  createHash('sha256').update(action).update(content).digest('base64url');

/** Rounds down to whole milliseconds: the two databases compare fractions differently. */
const floor = (at: number | undefined): number => (at === undefined ? Number.MAX_SAFE_INTEGER : Math.floor(at));

/** Condition: version `w` is a version of the same record as `v`. */
const sameRecord = `w.adaptor_uuid = v.adaptor_uuid AND w.domain = v.domain AND w.version = v.version AND w.dr_uuid = v.dr_uuid`;

interface Condition {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** Selects the version of each record that is valid at the moment. */
const latestAt = ({ at, sourceAdaptorUuid }: Moment): Condition => {
  const ofSource = sourceAdaptorUuid === undefined ? '' : ' AND w.source_adaptor_uuid = ?';
  return {
    sql: `v.number = (SELECT max(w.number) FROM fds_record_version w WHERE ${sameRecord} AND w.valid_from <= ?${ofSource})`,
    parameters: [floor(at), ...(sourceAdaptorUuid === undefined ? [] : [sourceAdaptorUuid])],
  };
};

/**
 * Opens the history in a database. Creates its table if it is missing. Several adaptors can share a database. The store
 * owns the session.
 */
export const openVersionStore = async (session: SqlSession, adaptorUuid: string): Promise<VersionStore> => {
  for (const statement of schema) await session.run(statement);

  const within = ({ domain, version }: HandlerKey): Condition => ({
    sql: 'v.adaptor_uuid = ? AND v.domain = ? AND v.version = ?',
    parameters: [adaptorUuid, domain, version],
  });

  const latest = async (handler: HandlerKey, drUuid: string, source?: string): Promise<RecordVersion | undefined> => {
    const { sql, parameters } = within(handler);
    const ofSource = source === undefined ? '' : ' AND v.source_adaptor_uuid = ?';
    const [row] = await session.run(
      `SELECT ${columns} FROM fds_record_version v WHERE ${sql} AND v.dr_uuid = ?${ofSource} ORDER BY v.number DESC LIMIT 1`,
      [...parameters, drUuid, ...(source === undefined ? [] : [source])],
    );
    return row === undefined ? undefined : toVersion(row);
  };

  return {
    append: async (handler, change, transactionUuid) => {
      const { drUuid } = change;
      const source = change.sourceAdaptorUuid ?? '';
      const last = await latest(handler, drUuid);
      const isSame = last === undefined || last.sourceAdaptorUuid === change.sourceAdaptorUuid;
      const lastOfSource = isSame ? last : await latest(handler, drUuid, source);
      const version = nextVersion(change, last, lastOfSource);
      const content = stringifyJson(change.json);
      const unlessSame = (state: JsonObject | null): string | null => {
        const text = state === null ? null : stringifyJson(state);
        return text === content ? null : text;
      };
      await session.change(
        `INSERT INTO fds_record_version (adaptor_uuid, domain, version, dr_uuid, number, valid_from, action,
           source_adaptor_uuid, transaction_uuid, digest, dr_key, change, state, source_state)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (adaptor_uuid, domain, version, dr_uuid, transaction_uuid, digest) DO NOTHING`,
        [
          adaptorUuid,
          handler.domain,
          handler.version,
          drUuid,
          version.number,
          version.at,
          version.action,
          source,
          transactionUuid,
          digestOf(change, content),
          stringifyJson(version.drKeyValues),
          version.action === 'DELETE' ? null : content,
          unlessSame(version.state),
          unlessSame(version.sourceState),
        ],
      );
    },

    versionsAt: async (handler, drUuids, moment) => {
      const [key, condition] = [within(handler), latestAt(moment)];
      const found = new Map<string, RecordVersion>();
      for (let from = 0; from < drUuids.length; from += listSize) {
        const named = drUuids.slice(from, from + listSize);
        const rows = await session.run(
          `SELECT ${columns} FROM fds_record_version v
           WHERE ${key.sql} AND v.dr_uuid IN (${named.map(() => '?').join(', ')}) AND ${condition.sql}`,
          [...key.parameters, ...named, ...condition.parameters],
        );
        for (const row of rows) found.set(textOf(row['dr_uuid']), toVersion(row));
      }
      return found;
    },

    page: async (handler, { offset, limit, order, ...moment }) => {
      const [key, condition] = [within(handler), latestAt(moment)];
      const selection = `FROM fds_record_version v WHERE ${key.sql} AND v.action <> 'DELETE' AND ${condition.sql}`;
      const parameters = [...key.parameters, ...condition.parameters];
      const state = `coalesce(v.${moment.sourceAdaptorUuid === undefined ? 'state' : 'source_state'}, v.change)`;
      const terms = order.map(({ direction }) => `${session.propertyOf(state)} ${direction}`);
      const [counted] = await session.run(`SELECT count(*) AS total ${selection}`, parameters);
      const rows = await session.run(
        `SELECT ${columns} ${selection} ORDER BY ${[...terms, 'v.dr_uuid'].join(', ')} LIMIT ? OFFSET ?`,
        [...parameters, ...order.map(({ property }) => property), limit, offset],
      );
      return { versions: rows.map(toVersion), total: Number(counted?.['total'] ?? 0) };
    },

    timestamps: async (handler, drUuid, { start, end, ascending, limit }, sourceAdaptorUuid) => {
      const { sql, parameters } = within(handler);
      const ofSource = sourceAdaptorUuid === undefined ? '' : ' AND v.source_adaptor_uuid = ?';
      const rows = await session.run(
        `SELECT DISTINCT v.valid_from FROM fds_record_version v
         WHERE ${sql} AND v.dr_uuid = ? AND v.valid_from >= ? AND v.valid_from <= ?${ofSource}
         ORDER BY v.valid_from ${ascending ? 'ASC' : 'DESC'} LIMIT ?`,
        [
          ...parameters,
          drUuid,
          start === undefined ? 0 : Math.ceil(start),
          floor(end),
          ...(sourceAdaptorUuid === undefined ? [] : [sourceAdaptorUuid]),
          limit,
        ],
      );
      return rows.map((row) => Number(row['valid_from']));
    },

    removeOlder: (before, limit) =>
      session.change(
        `DELETE FROM fds_record_version WHERE (adaptor_uuid, domain, version, dr_uuid, number) IN (
           SELECT v.adaptor_uuid, v.domain, v.version, v.dr_uuid, v.number FROM fds_record_version v
           WHERE v.adaptor_uuid = ? AND v.valid_from < ? AND (
             EXISTS (SELECT 1 FROM fds_record_version w WHERE ${sameRecord}
               AND w.source_adaptor_uuid = v.source_adaptor_uuid AND w.number > v.number AND w.valid_from <= ?)
             OR 'DELETE' = (SELECT w.action FROM fds_record_version w WHERE ${sameRecord} AND w.valid_from <= ?
               AND NOT EXISTS (SELECT 1 FROM fds_record_version x WHERE x.adaptor_uuid = w.adaptor_uuid
                 AND x.domain = w.domain AND x.version = w.version AND x.dr_uuid = w.dr_uuid AND x.number > w.number)))
           LIMIT ?)`,
        [adaptorUuid, before, before, before, limit],
      ),

    close: () => session.close(),
  };
};

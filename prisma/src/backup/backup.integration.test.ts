import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readBackup, writeBackup, type Entry } from '@fds/backup-format';
import { afterEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { applyMigrations } from '../apply-migrations.js';
import { createEmptyDatabase, openTestDatabase, type EmptyDatabase } from '../testing.js';
import { tablesOfProcesses } from './backed-up-tables.js';
import { readSnapshot } from './read-snapshot.js';
import { restoreSnapshot } from './restore-snapshot.js';

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

const withClient = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

const emptyDatabase = async (): Promise<EmptyDatabase> => {
  const database = await createEmptyDatabase();
  undo.push(() => database.drop());
  return database;
};

const snapshotOf = (url: string, signal = new AbortController().signal) =>
  readSnapshot({ url, version: '1.2.3', files: async () => ({ 'secret.key': 'key' }), signal });

const passphrase = 'a passphrase';

const collect = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const each of source) all.push(each);
  return all;
};

const backUp = async (url: string): Promise<Entry[]> =>
  collect(readBackup(writeBackup(snapshotOf(url), passphrase), passphrase));

const given = async function* (entries: readonly Entry[]): AsyncGenerator<Entry> {
  yield* entries;
};

const restore = async (url: string, entries: AsyncIterable<Entry>): Promise<Record<string, string>> => {
  let files: Record<string, string> = {};
  const writeFiles = async (written: Readonly<Record<string, string>>) => {
    files = { ...written };
  };
  await restoreSnapshot({ url, version: '1.2.3', entries, onBegin: async () => undefined, writeFiles });
  return files;
};

/** Every row of every table, and the position of each sequence. */
const contentOf = (url: string): Promise<Record<string, unknown>> =>
  withClient(url, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' ORDER BY 1",
    );
    const content: Record<string, unknown> = {};
    for (const { name } of tables) {
      if (tablesOfProcesses.includes(name)) continue;
      const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM "${name}" t ORDER BY 1`);
      content[name] = rows.map(({ row }) => row);
    }
    const { rows: sequences } = await client.query('SELECT sequencename, last_value FROM pg_sequences ORDER BY 1');
    return { ...content, sequences };
  });

/** Rows whose insertion triggers count, with texts that COPY escapes, and a zone below another. */
const fill = async (url: string): Promise<void> =>
  withClient(url, async (client) => {
    const [root, child, type, adaptor, domain, version] = Array.from({ length: 6 }, () => randomUUID());
    await client.query("INSERT INTO zone (uuid, name) VALUES ($1, 'Root')", [root]);
    await client.query('INSERT INTO zone (uuid, name, parent_zone_uuid) VALUES ($1, $2, $3)', [
      child,
      'tab\there \\N back\\slash\nline ü',
      root,
    ]);
    await client.query("INSERT INTO adaptor_type (uuid, name) VALUES ($1, 'kind')", [type]);
    await client.query("INSERT INTO adaptor (uuid, name, adaptor_type_uuid, zone_uuid) VALUES ($1, 'crm', $2, $3)", [
      adaptor,
      type,
      child,
    ]);
    await client.query(
      "INSERT INTO domain (uuid, name, name_key, domain_type, zone_uuid) VALUES ($1, 'person', 'person', 'FEDERATED', $2)",
      [domain, root],
    );
    await client.query(
      `INSERT INTO domain_version (uuid, domain_uuid, version_number, model_schema, dr_key_properties)
       VALUES ($1, $2, 1, '{}', '{id}')`,
      [version, domain],
    );
    await client.query(
      `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json)
       SELECT gen_random_uuid(), $1, sha256(n::text::bytea), jsonb_build_object('id', n), jsonb_build_object('id', n, 'text', repeat('ab', n))
       FROM generate_series(1, 300) AS n`,
      [version],
    );
    await client.query(
      `INSERT INTO change_log (action, resource_type, resource, data)
       SELECT 'POST', 'Dr', '/drs/' || n, '{"n": 9007199254740993}' FROM generate_series(1, 50) AS n`,
    );
    await client.query(
      `INSERT INTO server_process (uuid, parts, version, host, date_started, takes_leases)
       VALUES (gen_random_uuid(), '{}', '1', 'h', now(), true)`,
    );
  });

it('gives another database every row, the positions of sequences, and the files', async () => {
  const source = await openTestDatabase();
  undo.push(() => source.drop());
  await fill(source.url);
  const target = await emptyDatabase();
  expect(await restore(target.url, given(await backUp(source.url)))).toEqual({ 'secret.key': 'key' });
  const [before, after] = [await contentOf(source.url), await contentOf(target.url)];
  expect(after).toEqual(before);
  expect(before['data_record']).toHaveLength(300);
  // the triggers work again: a further record is counted
  const counted = await withClient(target.url, async (client) => {
    await client.query(
      `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key)
       SELECT gen_random_uuid(), uuid, '\\x00', '{"id": 0}' FROM domain_version`,
    );
    return (await client.query('SELECT FROM record_count')).rowCount;
  });
  expect(counted).toBeGreaterThan((before['record_count'] as readonly unknown[]).length);
  const running = await withClient(target.url, (client) => client.query('SELECT FROM server_process'));
  expect(running.rowCount).toBe(0);
});

it('is the state of one moment, also when rows change while it is read', async () => {
  const source = await openTestDatabase();
  undo.push(() => source.drop());
  await fill(source.url);
  const before = await contentOf(source.url);
  const snapshot = snapshotOf(source.url);
  const first = await snapshot.next();
  await withClient(source.url, async (client) => {
    await client.query('DELETE FROM data_record');
    await client.query("INSERT INTO change_log (action, resource_type, resource) VALUES ('POST', 'Dr', '/drs/late')");
  });
  const all = async function* () {
    if (first.done !== true) yield first.value;
    yield* snapshot;
  };
  const entries = await collect(readBackup(writeBackup(all(), passphrase), passphrase));
  const target = await emptyDatabase();
  await restore(target.url, given(entries));
  const { sequences, ...rows } = await contentOf(target.url);
  expect({ ...rows, sequences: before['sequences'] }).toEqual(before);
  // no position is given twice
  expect(sequences).toEqual((await contentOf(source.url))['sequences']);
});

/** The migrations without the last ones. */
const olderMigrations = async (without: number): Promise<string> => {
  const all = fileURLToPath(new URL('../../migrations', import.meta.url));
  const folder = await mkdtemp(join(tmpdir(), 'fds-migrations-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const names = (await readdir(all, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  for (const name of names.slice(0, -without)) await cp(join(all, name), join(folder, name), { recursive: true });
  return folder;
};

it('is migrated when it is of an older version', async () => {
  const source = await emptyDatabase();
  await applyMigrations(source.url, await olderMigrations(3));
  await withClient(source.url, (client) =>
    client.query("INSERT INTO zone (uuid, name) VALUES (gen_random_uuid(), 'Root')"),
  );
  const target = await emptyDatabase();
  await restore(target.url, given(await backUp(source.url)));
  expect(await applyMigrations(target.url)).toEqual([]);
  expect((await contentOf(target.url))['zone']).toEqual((await contentOf(source.url))['zone']);
});

it('is refused when it is newer, and where a hub or a service is; nothing is written', async () => {
  const source = await openTestDatabase();
  undo.push(() => source.drop());
  const entries = await backUp(source.url);
  const newer = entries.map((entry): Entry =>
    entry.kind === 'HEAD'
      ? { kind: 'HEAD', head: { ...entry.head, migrations: [{ name: '29991231000000_later', checksum: '' }] } }
      : entry,
  );
  const target = await emptyDatabase();
  await expect(restore(target.url, given(newer))).rejects.toMatchObject({ code: 'NEWER_BACKUP' });
  const service = new pg.Client({ connectionString: target.url, application_name: 'fds' });
  await service.connect();
  await expect(restore(target.url, given(entries))).rejects.toMatchObject({ code: 'RUNNING' });
  await service.end();
  await restore(target.url, given(entries));
  await expect(restore(target.url, given(entries))).rejects.toMatchObject({ code: 'NOT_EMPTY' });
});

it('writes nothing when the backup fails on its way, and can be restored afterwards', async () => {
  const source = await openTestDatabase();
  undo.push(() => source.drop());
  await fill(source.url);
  const entries = await backUp(source.url);
  const target = await emptyDatabase();
  const cut = async function* () {
    for (const entry of entries) {
      if (entry.kind === 'TRAILER') throw new Error('the file ended');
      yield entry;
    }
  };
  await expect(restore(target.url, cut())).rejects.toThrow('the file ended');
  expect(await contentOf(target.url)).toEqual({ sequences: [] });
  await restore(target.url, given(entries));
  expect((await contentOf(target.url))['data_record']).toHaveLength(300);
});

it('ends with its reader, and with its signal, and leaves no connection', async () => {
  const source = await openTestDatabase();
  undo.push(() => source.drop());
  await fill(source.url);
  const connections = () =>
    withClient(source.url, async (client) => {
      const { rows } = await client.query<{ count: string }>(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'fds-backup' AND datname = current_database()",
      );
      return Number(rows[0]?.count);
    });
  const left = snapshotOf(source.url);
  await left.next();
  expect(await connections()).toBe(1);
  await left.return(undefined);
  const stop = new AbortController();
  const stopped = snapshotOf(source.url, stop.signal);
  await stopped.next();
  stop.abort(new Error('enough'));
  await expect(collect(stopped)).rejects.toThrow('enough');
  const deadline = performance.now() + 10_000;
  while ((await connections()) > 0) expect(performance.now()).toBeLessThan(deadline);
});

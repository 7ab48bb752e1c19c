import { logChanges } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import type { JsonObject } from '@fds/json';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import type { RecordChange } from '../../domain/events/event-outcome.js';
import type { RecordChanges, RecordState } from '../../domain/records/record-book.js';
import { onlyAdds, saveAddedRecords } from './save-added-records.js';
import { saveRecords } from './save-records.js';
import { toLoggedChange } from './to-logged-change.js';
import { overlay } from '../../domain/routing/known-content.js';

const newRecord = (parts: Partial<RecordState> = {}): RecordState => ({
  uuid: randomUUID(),
  domainVersionUuid: randomUUID(),
  keyDigest: randomBytes(32).toString('hex'),
  drKey: { id: 1 },
  json: { id: 1 },
  createdByUuid: randomUUID(),
  links: new Map(),
  expected: new Map(),
  ...parts,
});

const changeOf = ({ uuid, domainVersionUuid, createdByUuid, drKey, json }: RecordState): RecordChange => ({
  action: 'POST',
  recordUuid: uuid,
  domainVersionUuid,
  actorUuid: createdByUuid ?? undefined,
  // an entry without a transaction is possible
  transactionUuid: json === null ? undefined : randomUUID(),
  drKey,
  ...(json === null ? {} : { json }),
});

const added = (inserted: readonly RecordState[]): RecordChanges => ({
  inserted,
  updated: [],
  deleted: [],
  savedLinks: [],
  deletedLinks: [],
  removedLinks: { kept: [], forgotten: [] },
});

describe('saveAddedRecords', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.drop());

  const stored = async (uuids: readonly string[]) => {
    const { rows: records } = await database.pool.query<Record<string, unknown>>(
      `SELECT uuid, domain_version_uuid, encode(key_digest, 'hex') AS digest, dr_key::text, json::text, created_by_uuid,
              expected_content::text, change_version
       FROM data_record WHERE uuid = ANY ($1::uuid[]) ORDER BY array_position($1::uuid[], uuid)`,
      [uuids],
    );
    const { rows: changes } = await database.pool.query<Record<string, unknown>>(
      `SELECT action, resource_type, resource, resource_uuid, zone_uuid, actor_uuid, data FROM change_log
       WHERE resource_uuid = ANY ($1::uuid[]) ORDER BY position`,
      [uuids],
    );
    return { records, changes };
  };

  it('writes the same rows as records and their changes written one after the other', async () => {
    const texts: JsonObject = {
      id: 9_223_372_036_854_775_807n,
      name: `"\\ \n 'é😀`,
      nested: [{ a: null }, 1.5e300, true],
    };
    const records = [
      newRecord(),
      newRecord({ json: texts, drKey: { id: 9_223_372_036_854_775_807n, name: `"\\'é😀` } }),
      newRecord({ json: null, createdByUuid: null }),
      newRecord({ expected: new Map([[randomUUID(), overlay(undefined, { name: 'digest' })]]) }),
    ];
    const uuids = records.map(({ uuid }) => uuid);
    const logged = records.map(changeOf);
    await database.transaction((client) => saveAddedRecords(client, records, logged));
    const atOnce = await stored(uuids);
    await database.pool.query('DELETE FROM data_record WHERE uuid = ANY ($1::uuid[])', [uuids]);
    await database.pool.query('DELETE FROM change_log WHERE resource_uuid = ANY ($1::uuid[])', [uuids]);
    await database.transaction(async (client) => {
      await saveRecords(client, added(records));
      await logChanges(client, logged.map(toLoggedChange));
    });
    expect(atOnce).toEqual(await stored(uuids));
    expect(atOnce.changes).toHaveLength(records.length);
  });

  it('writes neither where a key is taken', async () => {
    const [first, second] = [newRecord(), newRecord()];
    await database.transaction((client) => saveAddedRecords(client, [first], [changeOf(first)]));
    const { domainVersionUuid, keyDigest } = first;
    const twin = newRecord({ domainVersionUuid, keyDigest });
    await expect(
      database.transaction((client) => saveAddedRecords(client, [second, twin], [second, twin].map(changeOf))),
    ).rejects.toMatchObject({
      code: '23505',
    });
    expect(await stored([second.uuid, twin.uuid])).toEqual({ records: [], changes: [] });
  });
});

describe('onlyAdds', () => {
  const [one, two] = [newRecord(), newRecord({ json: null, createdByUuid: null })];
  const changes = [changeOf(one), changeOf(two)];

  it('holds for new records, each with its change', () => {
    expect(onlyAdds(added([one, two]), changes)).toBe(true);
    expect(onlyAdds(added([]), [])).toBe(true);
  });

  it.each([
    ['a record has no change', added([one, two]), [changeOf(one)]],
    ['a record has two changes', added([one]), [changeOf(one), { ...changeOf(one), action: 'PUT' }]],
    ['the change is none of a new record', added([one]), [{ ...changeOf(one), action: 'PATCH' }]],
    ['the change reports other data', added([one]), [{ ...changeOf(one), json: { id: 2 } }]],
    ['the change reports another key', added([one]), [{ ...changeOf(one), drKey: { id: 2 } }]],
    ['another user changed it', added([one]), [{ ...changeOf(one), actorUuid: randomUUID() }]],
    ['the changes stand in another order', added([one, two]), changes.toReversed()],
    ['a record is changed', { ...added([one, two]), updated: [newRecord()] }, changes],
    ['a record goes', { ...added([one, two]), deleted: [randomUUID()] }, changes],
  ] as const)('does not where %s', (_, given, logged) => {
    expect(onlyAdds(given, logged)).toBe(false);
  });
});

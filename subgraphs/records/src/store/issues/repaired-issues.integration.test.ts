import type { Queryable } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { loadRepairable } from './repaired-issues.js';

const [records, eventsOfRecord, limit] = [2_000, 8, 10];
const adaptor = '00000000-0000-0000-0000-0000000000aa';
const version = '00000000-0000-0000-0000-0000000000dd';

/** Records of one adaptor with eight messages each, of which the first has an open issue. */
const fill = `
  CREATE TEMP TABLE ids AS SELECT n, ('01a00000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid AS record FROM generate_series(1, ${records}) n;
  INSERT INTO adaptor_channel (adaptor_uuid, down_epoch, down_sequence, down_acked)
    VALUES ('${adaptor}', gen_random_uuid(), ${records * eventsOfRecord}, ${records * eventsOfRecord});
  INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key) SELECT record, '${version}', sha256(record::text::bytea), '{}' FROM ids;
  INSERT INTO record_link (record_uuid, adaptor_uuid, domain_version_uuid, key_digest, dr_key, known_content)
    SELECT record, '${adaptor}', '${version}', sha256(record::text::bytea), '{}', '{"hashes":{}}' FROM ids;
  INSERT INTO data_event (transaction_uuid, uuid, record_uuid, domain_version_uuid, dr_key, create_time, action)
    SELECT gen_random_uuid(), ('01a0' || lpad(to_hex(e), 4, '0') || '-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, record, '${version}', '{}', now(), 'PUT'
    FROM ids, generate_series(1, ${eventsOfRecord}) e;
  INSERT INTO delivery (adaptor_uuid, sequence, event_uuid, record_uuid, action, content)
    SELECT '${adaptor}', row_number() OVER (ORDER BY uuid), uuid, record_uuid, 'PUT', '\\x0102' FROM data_event;
  INSERT INTO data_issue (uuid, title, type, status, exception, cause, adaptor_uuid, domain_version_uuid, record_uuid, event_uuid, data_event)
    SELECT gen_random_uuid(), 'refused', 'DATA_EVENT_EXCEPTION', 'OPEN', 'ADAPTOR', 'ADAPTOR', '${adaptor}', '${version}', record,
      ('01a00001-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '{}' FROM ids`;

interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Rows that a plan has read, those included that it dropped. */
const rowsRead = (node: PlanNode): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] +
  (node.Plans ?? []).reduce((sum, plan) => sum + rowsRead(plan), 0);

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
}, 60_000);
afterAll(() => database?.drop());

it('reads the messages of its records alone, in tables without statistics', async () => {
  const client = await database.pool.connect();
  try {
    // the rows have neither zones nor adaptors
    await client.query('SET session_replication_role = replica');
    await client.query('ALTER TABLE delivery SET (autovacuum_enabled = false)');
    await client.query(fill);
    const page = await loadRepairable(client, { after: undefined, limit });
    expect(page.map(({ applied }) => applied.length)).toEqual(Array.from({ length: limit }, () => eventsOfRecord - 1));
    const plans: PlanNode[] = [];
    const explaining = {
      query: async ({ text, values }: { readonly text: string; readonly values: readonly unknown[] }) => {
        const { rows } = await client.query<{ readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>({
          text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
          values: [...values],
        });
        plans.push(...(rows[0]?.['QUERY PLAN'] ?? []).map(({ Plan }) => Plan));
        return { rows: [] };
      },
    } as unknown as Queryable;
    await loadRepairable(explaining, { after: undefined, limit });
    expect(plans).toHaveLength(1);
    // 16,000 messages of the adaptor are in the table
    expect(plans.map(rowsRead).filter((rows) => rows > 200 * limit)).toEqual([]);
  } finally {
    client.release(true);
  }
}, 60_000);

import { expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { playTable } from '../testing/play-table.js';
import { describeOn, testSources } from '../testing/test-sources.js';

const { open, missing } = testSources.PostgreSQL;

describeOn(missing)('a partition that is detached and attached again', () => {
  it('has its rows reported as deleted, and then as new', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fds-partition-'));
    const source = await open();
    await source.run(
      `CREATE TABLE sale (id int, year int, changed timestamptz DEFAULT now(), PRIMARY KEY (id, year)) PARTITION BY LIST (year);
       CREATE TABLE sale_2025 PARTITION OF sale FOR VALUES IN (2025);
       CREATE TABLE sale_2026 PARTITION OF sale FOR VALUES IN (2026);
       INSERT INTO sale VALUES (1, 2025, '2025-01-01'), (2, 2025, '2025-01-02'), (3, 2026, now())`,
    );
    const played = playTable({
      properties: source.properties,
      table: {
        primaryKeySpecs: [
          { type: 'DOMAIN', id: { columnType: 'LONG' } },
          { type: 'DOMAIN', year: { columnType: 'LONG' } },
        ],
        dataColumns: { id: { source: 'id', columnType: 'LONG' }, year: { source: 'year', columnType: 'LONG' } },
        timestampSpec: { columnName: 'changed', type: 'TIMESTAMP' },
        dataSource: { tableName: 'sale' },
        scanOptions: { enableDeletionScan: true, scanIntervalMilliseconds: 50 },
      },
      stateFile: join(folder, 'state.sqlite'),
      drKeyProperties: ['id', 'year'],
    });
    const told = (): string[] =>
      played.published.map(({ action, json, drKey }) => `${action} ${Number((json ?? drKey)?.['id'])}`).sort();
    try {
      await eventually(() => expect(told()).toEqual(['POST 1', 'POST 2', 'POST 3']));
      played.published.length = 0;
      await source.run('ALTER TABLE sale DETACH PARTITION sale_2025');
      await eventually(() => expect(told()).toEqual(['DELETE 1', 'DELETE 2']));
      played.published.length = 0;
      await source.run('ALTER TABLE sale ATTACH PARTITION sale_2025 FOR VALUES IN (2025)');
      await eventually(() => expect(told()).toEqual(['POST 1', 'POST 2']));
    } finally {
      await played.stop();
      await source.dispose();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

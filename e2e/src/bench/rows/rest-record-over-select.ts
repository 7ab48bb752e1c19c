import { deepStrictEqual } from 'node:assert/strict';
import type { ExpectedExchange } from '../load/load-order.js';
import { learnExchange } from '../load/learn-exchange.js';
import type { Row } from '../row.js';
import { compareUnderLoad } from '../stage/compare-under-load.js';
import { createRecordSet, type RecordSet } from '../stage/create-record-set.js';
import { inParallel } from '../stage/in-parallel.js';
import { onStage } from '../stage/open-stage.js';
import { startComparator } from '../stage/start-comparator.js';

const connections = 16;
const size = 200;

const learnReads = (
  origin: string,
  { records, domainVersionUuid }: RecordSet,
  read: { readonly path: string; readonly headers: Readonly<Record<string, string>> },
): Promise<ExpectedExchange[]> =>
  inParallel(1, records, ({ uuid, json }) =>
    learnExchange(origin, { method: 'GET', path: `${read.path}/${uuid}`, headers: read.headers }, (body) => {
      const record = body as Readonly<Record<string, unknown>>;
      const known = { uuid, domainVersionUuid, drKey: { id: json.id }, json };
      deepStrictEqual(Object.fromEntries(Object.keys(known).map((name) => [name, record[name]])), known);
    }),
  );

export const restRecordOverSelect: Row = {
  id: 8,
  what: 'REST GET of one record',
  comparedWith: 'bare Node HTTP + one select',
  figures: [{ name: '', unit: 'ratio', better: 'higher', goal: 0.65, stretch: 0.75 }],
  run: (signal) =>
    onStage(signal, async (stage) => {
      const { leftovers, service, databaseUrl, authorization } = stage;
      const set = await createRecordSet(stage, size);
      const origin = await startComparator(leftovers, 'bare-sql-server', {
        DATABASE_URL: databaseUrl,
        DOMAIN_VERSION_UUID: set.domainVersionUuid,
      });
      const ours = await learnReads(service.baseUrl, set, { path: '/api/drs', headers: { authorization } });
      const bare = await learnReads(origin, set, { path: '/records', headers: {} });
      return compareUnderLoad(leftovers, {
        service: { origin: service.baseUrl, connections, exchanges: ours },
        other: { origin, connections, exchanges: bare },
      });
    }),
};

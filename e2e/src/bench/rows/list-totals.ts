import { deepStrictEqual } from 'node:assert/strict';
import { createVersion } from '../../harness/catalogue.js';
import { learnExchange } from '../load/learn-exchange.js';
import type { LoadTarget } from '../load/open-load.js';
import type { Row } from '../row.js';
import { compareUnderLoad } from '../stage/compare-under-load.js';
import { customerProperties } from '../stage/customer.js';
import { insertRecords } from '../stage/insert-records.js';
import { onStage, type Stage } from '../stage/open-stage.js';

const connections = 4;
const size = 10;

/** The first page of a new version with this number of records, by REST. */
const learnFirstPage = async (
  { steward, service, authorization, databaseUrl }: Stage,
  count: number,
): Promise<LoadTarget> => {
  const { domainName, domainVersionUuid } = await createVersion(steward, {
    name: `listed${count}`,
    domainType: 'SERVICE_DATA_STORE',
    properties: customerProperties,
    drKeyProperties: ['id'],
  });
  const ids = await insertRecords(databaseUrl, domainVersionUuid, count);
  const page = { method: 'GET' as const, path: `/api/drs?filters=name:${domainName}`, headers: { authorization } };
  const exchange = await learnExchange(service.baseUrl, page, (body) => {
    const { drs, _page } = body as { drs: { json: { id: string } }[]; _page: object };
    deepStrictEqual(_page, { page: 0, size, totalElements: count, totalPages: Math.ceil(count / size) });
    deepStrictEqual(
      drs.map(({ json }) => json.id),
      ids.slice(0, size),
    );
  });
  return { origin: service.baseUrl, connections, exchanges: [exchange] };
};

export const listTotals: Row = {
  id: 20,
  what: 'REST list, first page with totals, 1 M records',
  comparedWith: 'the same at 10 000 records',
  figures: [{ name: '', unit: 'ratio', better: 'lower', goal: 1.05, stretch: 1.05 }],
  run: (signal) =>
    onStage(signal, async (stage) => {
      const few = await learnFirstPage(stage, 10_000);
      const many = await learnFirstPage(stage, 1_000_000);
      // the ratio of answers per second (small to large) equals the ratio of times (large to small)
      return compareUnderLoad(stage.leftovers, { service: few, other: many });
    }),
};

import pg from 'pg';
import { request } from 'undici';
import { createVersion } from '../../harness/catalogue.js';
import { compare, interleaved, perSecond } from '../interleaved.js';
import type { Row } from '../row.js';
import { spreadOf } from '../../measure/spread.js';
import { openCopier, readRecordLines } from '../stage/copied-records.js';
import { createTwinDatabase } from '../stage/create-twin-database.js';
import { customer, customerProperties } from '../stage/customer.js';
import { onStage, type Stage } from '../stage/open-stage.js';

const rounds = 5;
/** A file of these is just below the default limit of 10 MiB. */
const recordsPerRound = 40_000;

const fileOf = (from: number): Buffer =>
  Buffer.from(JSON.stringify(Array.from({ length: recordsPerRound }, (_, index) => customer(from + index))));

const importFile = async ({ service, authorization }: Stage, domainName: string, file: Buffer): Promise<void> => {
  const { statusCode, body } = await request(`${service.baseUrl}/api/drs/bulk?filters=name:${domainName}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: file,
  });
  const text = await body.text();
  const { created, failed } = JSON.parse(text) as { readonly created: number; readonly failed: number };
  if (statusCode !== 200 || created !== recordsPerRound || failed !== 0) throw new Error(`${statusCode}: ${text}`);
};

export const bulkImport: Row = {
  id: 13,
  what: 'Bulk import with validation',
  comparedWith: 'COPY of the same JSON as records',
  figures: [{ name: '', unit: 'ratio', better: 'higher', goal: 0.45, stretch: 0.6 }],
  run: (signal) =>
    onStage(signal, async (stage) => {
      const { leftovers, steward, databaseUrl } = stage;
      const { domainName, domainVersionUuid } = await createVersion(steward, {
        name: 'imported',
        domainType: 'SERVICE_DATA_STORE',
        properties: customerProperties,
        drKeyProperties: ['id'],
      });
      const copier = await openCopier(leftovers, await createTwinDatabase(databaseUrl));
      const reader = new pg.Client({ connectionString: databaseUrl });
      await reader.connect();
      leftovers.add(() => reader.end());

      const nowMs = (): number => performance.now();
      const rateOf = (work: () => Promise<void>): Promise<number> =>
        perSecond(async () => {
          await work();
          return recordsPerRound;
        }, nowMs)();
      let total = 0;
      let megabytes = 0;
      const bareRates: number[] = [];
      const subject = async (): Promise<number> => {
        const file = fileOf(total);
        megabytes = file.length / 1e6;
        const rate = await rateOf(() => importFile(stage, domainName, file));
        total += recordsPerRound;
        return rate;
      };
      const floor = async (): Promise<number> => {
        const lines = await readRecordLines(reader, domainVersionUuid, recordsPerRound);
        bareRates.push(await rateOf(() => copier.copyJson(lines)));
        return rateOf(() => copier.copyRecords(lines));
      };
      const compared = compare(await interleaved({ rounds, subject, floor }));
      const bare = spreadOf(bareRates.slice(1)).median;
      return {
        values: { '': compared.ratio },
        notes: [
          `${Math.round(compared.subject.median)} records/s against ${Math.round(compared.floor.median)}; ` +
            `10 properties, ${rounds} rounds of ${recordsPerRound} new records, a file of ${megabytes.toFixed(1)} MB by ` +
            `POST /drs/bulk; the very rows it made are copied into an equal table with its indexes, in one transaction`,
          `COPY of the bare JSON into a table of one column without an index: ${Math.round(bare)} records/s`,
        ],
      };
    }),
};

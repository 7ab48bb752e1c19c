import { deepStrictEqual } from 'node:assert/strict';
import pg from 'pg';
import type { Figure } from '../figure.js';
import { monotonicMs } from '../receiver/monotonic-ms.js';
import { customer, type Customer } from '../stage/customer.js';
import { createCustomerDomain } from '../stage/create-customer-domain.js';
import { lengthenQueue } from '../stage/lengthen-queue.js';
import { openDestination } from '../stage/open-destination.js';
import { openEventSource } from '../stage/open-event-source.js';
import { onStage, type Stage } from '../stage/open-stage.js';
import { residentMib } from '../../measure/resident-memory.js';

const queued = 1_000_000;
const drained = 20_000;
const domain = 'queued';

const mib = ({ service }: Stage): number => residentMib(service.process().pid);

export const longQueue: Figure = {
  what: 'A million events queued for a paused adaptor',
  deadlineMs: 300_000,
  run: (signal, tell) =>
    onStage(signal, async (stage) => {
      const { leftovers, service, databaseUrl } = stage;
      const { zoneUuid, createAdaptor } = await createCustomerDomain(stage, domain);
      const adaptor = await createAdaptor('Destination');
      const destination = await openDestination(stage, zoneUuid, adaptor);
      const source = await openEventSource(leftovers, service.busUrl, await createAdaptor('Source'), domain);
      const database = new pg.Client({ connectionString: databaseUrl });
      await database.connect();
      leftovers.add(() => database.end());

      // with and without a long queue, the same work
      const drain = async (
        records: readonly Customer[],
      ): Promise<{ readonly firstMs: number; readonly peakMib: number }> => {
        const received = destination.receive(drained);
        const startedMs = monotonicMs();
        let peakMib = mib(stage);
        const watch = setInterval(() => {
          peakMib = Math.max(peakMib, mib(stage));
        }, 50);
        try {
          await destination.play();
          const { atMs, bodies } = await received;
          deepStrictEqual(
            bodies.map((body) => JSON.parse(body) as unknown),
            records,
          );
          return { firstMs: (atMs[0] ?? NaN) - startedMs, peakMib };
        } finally {
          clearInterval(watch);
          await destination.pause();
        }
      };
      const send = async (from: number): Promise<readonly Customer[]> => {
        const records = Array.from({ length: drained }, (_, index) => customer(from + index));
        source.prepare(records.map((record) => ({ ...record })));
        await source.sendPrepared();
        return records;
      };
      await destination.pause();
      const short = await drain(await send(0));
      tell(
        `${drained} queued: peak of ${Math.round(short.peakMib)} MiB while they drain, ` +
          `first delivery ${Math.round(short.firstMs)} ms after PLAY`,
      );
      const records = await send(drained);
      const before = mib(stage);
      const length = await lengthenQueue(database, adaptor.uuid, queued);
      const after = mib(stage);
      tell(
        `${length} queued, all but ${drained} put in by SQL: ${Math.round(before)} MiB before, ${Math.round(after)} MiB after`,
      );
      const long = await drain(records);
      tell(
        `first delivery of them ${Math.round(long.firstMs)} ms after PLAY, peak of ${Math.round(long.peakMib)} MiB ` +
          `until ${drained} are delivered; ${Math.round(mib(stage))} MiB after PAUSE`,
      );
    }),
};

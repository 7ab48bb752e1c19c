import { deepStrictEqual } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { buildMessage, serverSource, windowSize } from '@fds/adaptor-protocol';
import { compare, interleaved, type Comparison } from '../interleaved.js';
import { monotonicMs } from '../receiver/monotonic-ms.js';
import { openReceiver, type Received } from '../receiver/open-receiver.js';
import type { Row } from '../row.js';
import { createCustomerDomain } from '../stage/create-customer-domain.js';
import { createTwinDatabase } from '../stage/create-twin-database.js';
import { customer, type Customer } from '../stage/customer.js';
import { openDestination } from '../stage/open-destination.js';
import { openEventSource } from '../stage/open-event-source.js';
import { onStage, type Stage } from '../stage/open-stage.js';
import { publishWithin } from '../stage/publish-within.js';
import { startBareBus } from '../stage/start-bare-bus.js';

const rounds = 3;
/** Time budget of each kind of event. */
const budgetMs = 45_000;
const backlog = 20_000;
/** Number of records that the changes are about, so that the order within a record matters. */
const changedRecords = 1_000;
const domain = 'backlog';

/** Each record once, starting after the previous ones. */
const newRecords = (from: number): Customer[] => Array.from({ length: backlog }, (_, index) => customer(from + index));

/** Above the values of new records: a change that contains only known values is sent to no adaptor. */
const firstVisits = 1_000_000_000;

/** Changes of the first records, each with different content. */
const changesOf = (from: number): Customer[] =>
  Array.from({ length: backlog }, (_, index) => ({
    ...customer(index % changedRecords),
    visits: firstVisits + from + index,
  }));

/** A message of the outbox in the form of the bus, with other uuids of the same length. */
const payloadOf = (json: Customer, sequence: number): string => {
  const uuid = randomUUID();
  return buildMessage('down/data', {
    id: uuid,
    source: serverSource,
    type: 'fds.data.v1',
    time: new Date().toISOString(),
    subject: uuid,
    partitionkey: uuid,
    sequence,
    epoch: uuid,
    data: {
      action: 'POST',
      drUuid: uuid,
      domain,
      version: 1,
      domainVersionUuid: uuid,
      sourceAdaptorUuid: uuid,
      destinationAdaptorUuid: uuid,
      transactionUuid: uuid,
      createTime: Date.now(),
      drKey: JSON.stringify([json.id]),
      jsonData: JSON.stringify(json),
      messageGroup: uuid,
    },
  });
};

const rateOf = ({ atMs }: Received, startedMs: number): number =>
  (atMs.length * 1000) / ((atMs.at(-1) ?? NaN) - startedMs);

const openFloor = async ({ leftovers, databaseUrl }: Stage) => {
  const bus = await startBareBus(leftovers, await createTwinDatabase(databaseUrl));
  const subscriber = await openReceiver(leftovers, { kind: 'SUBSCRIPTION', url: bus.url, topic: 'raw' });
  const payloads = newRecords(0).map((json, index) => payloadOf(json, index + 1));
  return {
    bytes: payloads.reduce((sum, payload) => sum + Buffer.byteLength(payload), 0) / payloads.length,
    measure: async (): Promise<number> => {
      const received = subscriber.receive(payloads.length);
      const startedMs = monotonicMs();
      await publishWithin(bus.client, 'raw', payloads, windowSize);
      const report = await received;
      deepStrictEqual(report.bodies, payloads);
      return rateOf(report, startedMs);
    },
  };
};

const openSubject = async (stage: Stage) => {
  const { leftovers, service } = stage;
  const { zoneUuid, createAdaptor } = await createCustomerDomain(stage, domain);
  const destination = await openDestination(stage, zoneUuid, await createAdaptor('Destination'));
  const source = await openEventSource(leftovers, service.busUrl, await createAdaptor('Source'), domain);
  return async (records: readonly Customer[]): Promise<number> => {
    await destination.pause();
    source.prepare(records.map((record) => ({ ...record })));
    await source.sendPrepared();
    const received = destination.receive(records.length);
    const startedMs = monotonicMs();
    await destination.play();
    const report = await received;
    deepStrictEqual(
      report.bodies.map((body) => JSON.parse(body) as unknown),
      records,
    );
    await destination.untilPlaying();
    return rateOf(report, startedMs);
  };
};

const describe = (kind: string, { subject, floor, rounds: measured }: Comparison): string =>
  `${kind}: ${Math.round(subject.median)} events/s against ${Math.round(floor.median)} in ${measured} rounds`;

export const backlogDrain: Row = {
  id: 3,
  what: 'Backlog drain after PLAY',
  comparedWith: 'raw QoS 1 rate of the broker',
  figures: [
    { name: 'new records', unit: 'ratio', better: 'higher', goal: 0.6, stretch: 0.75 },
    { name: 'changes', unit: 'ratio', better: 'higher', goal: 0.7, stretch: 0.75 },
  ],
  run: (signal) =>
    onStage(signal, async (stage) => {
      const drain = await openSubject(stage);
      const { bytes, measure: floor } = await openFloor(stage);
      const contest = async (next: (from: number) => Customer[]): Promise<Comparison> => {
        let from = 0;
        const subject = async (): Promise<number> => {
          const records = next(from);
          from += backlog;
          return drain(records);
        };
        return compare(await interleaved({ rounds, budgetMs, subject, floor }));
      };
      const fresh = await contest(newRecords);
      const changed = await contest(changesOf);
      return {
        values: { 'new records': fresh.ratio, changes: changed.ratio },
        notes: [
          `${describe('new records', fresh)}; ${describe('changes', changed)}; ${backlog} queued events a round, ` +
            `from PLAY by REST to the last apply(), payloads of ${Math.round(bytes)} bytes and a window of ${windowSize} messages on both ` +
            `sides, several events in a message of the service, order and every body compared`,
          'each new record also makes the adaptor report a link; changes do not',
        ],
      };
    }),
};

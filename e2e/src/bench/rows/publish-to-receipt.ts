import { deepStrictEqual } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { compare, interleaved } from '../interleaved.js';
import { monotonicMs } from '../receiver/monotonic-ms.js';
import { openReceiver, type Receiver } from '../receiver/open-receiver.js';
import { percentile } from '../percentile.js';
import type { Row } from '../row.js';
import { createCustomerDomain } from '../stage/create-customer-domain.js';
import { createTwinDatabase } from '../stage/create-twin-database.js';
import { customer, type Customer } from '../stage/customer.js';
import { openDestination } from '../stage/open-destination.js';
import { onStage } from '../stage/open-stage.js';
import { startBareBus } from '../stage/start-bare-bus.js';

const rounds = 5;
const budgetMs = 60_000;
const eventsPerRound = 150;
const pauseMs = 20;
const domain = 'light';

interface Latencies {
  readonly p50: number;
  readonly p99: number;
}

/** Sends one event at a time, each followed by a pause, so that no event waits for another one. */
const sendLightly = async (
  events: readonly Customer[],
  receiver: Receiver,
  publish: (event: Customer) => Promise<unknown>,
): Promise<Latencies> => {
  const waitsMs: number[] = [];
  for (const [index, event] of events.entries()) {
    const received = receiver.receive(1);
    const publishedMs = monotonicMs();
    const [{ atMs, bodies }] = await Promise.all([received, publish(event)]);
    deepStrictEqual(JSON.parse(bodies[0] ?? ''), event);
    waitsMs.push((atMs[0] ?? NaN) - publishedMs);
    // work after a receipt (positions, links, acknowledgements) ends during the pause; its length varies, so that it
    // does not always meet a timer of either side at the same point
    await delay(pauseMs + (index % 7));
  }
  return { p50: percentile(waitsMs, 50), p99: percentile(waitsMs, 99) };
};

const rounded = (value: number): string => value.toPrecision(3);

export const publishToReceipt: Row = {
  id: 2,
  what: 'Source publish to destination receipt, light load',
  comparedWith: 'one commit + four bus hops',
  figures: [
    { name: 'p50', unit: 'ratio', better: 'lower', goal: 2, stretch: 1.5 },
    { name: 'p99', unit: 'ratio', better: 'lower', goal: 3, stretch: 2 },
  ],
  run: (signal) =>
    onStage(signal, async (stage) => {
      const { leftovers, service, databaseUrl } = stage;
      const { zoneUuid, createAdaptor } = await createCustomerDomain(stage, domain);
      const destination = await openDestination(stage, zoneUuid, await createAdaptor('Destination'));
      const source = await startSourceAdaptor(leftovers, service, await createAdaptor('Source'), {});
      const bus = await startBareBus(leftovers, await createTwinDatabase(databaseUrl));
      const subscriber = await openReceiver(leftovers, { kind: 'SUBSCRIPTION', url: bus.url, topic: 'committed' });

      let sent = 0;
      const newEvents = (): Customer[] => Array.from({ length: eventsPerRound }, (_, index) => customer(sent + index));
      const subject = async (): Promise<Latencies> => {
        const latencies = await sendLightly(newEvents(), destination, (json) =>
          source.publish({ action: 'POST', domain, version: 1, json: { ...json } }),
        );
        sent += eventsPerRound;
        return latencies;
      };
      const floor = (): Promise<Latencies> =>
        sendLightly(newEvents(), subscriber, (json) =>
          bus.client.publishAsync('commit', JSON.stringify(json), { qos: 1 }),
        );
      const measured = await interleaved({ rounds, budgetMs, subject, floor });
      const pick = (name: keyof Latencies) =>
        compare(measured.map((round) => ({ subject: round.subject[name], floor: round.floor[name] })));
      const [p50, p99] = [pick('p50'), pick('p99')];
      return {
        values: { p50: p50.ratio, p99: p99.ratio },
        notes: [
          `p50 ${rounded(p50.subject.median)} ms against ${rounded(p50.floor.median)}, p99 ${rounded(p99.subject.median)} ms ` +
            `against ${rounded(p99.floor.median)}; ${measured.length} rounds of ${eventsPerRound} new records, one at a time, ` +
            `from publish() of the SDK, its journal on disk included, to apply() in another process; every body compared`,
        ],
      };
    }),
};

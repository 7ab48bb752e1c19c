import type { Figure } from '../figure.js';
import { spreadOf } from '../../measure/spread.js';
import { createCustomerDomain } from '../stage/create-customer-domain.js';
import { customer } from '../stage/customer.js';
import { inParallel } from '../stage/in-parallel.js';
import { openEventSource, type EventSource } from '../stage/open-event-source.js';
import { onStage, type Stage } from '../stage/open-stage.js';

const rounds = 3;
/** Number of deliveries in a round, so that all rounds take about the same time. */
const deliveriesPerRound = 5_000;

interface Adaptors {
  readonly sources: number;
  readonly destinations: number;
}

const constellations: readonly Adaptors[] = [
  { sources: 1, destinations: 1 },
  { sources: 1, destinations: 10 },
  { sources: 1, destinations: 100 },
  { sources: 10, destinations: 1 },
  { sources: 10, destinations: 10 },
];

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const describe = ({ sources, destinations }: Adaptors, eventsPerSecond: readonly number[]): string => {
  const { min, median, max } = spreadOf(eventsPerSecond);
  return (
    `${counted(sources, 'source')}, ${counted(destinations, 'destination')}${sources === 1 ? '' : ' each'}: ` +
    `${Math.round(median)} (${Math.round(min)}-${Math.round(max)}) acknowledged events/s, ` +
    `${Math.round(median * destinations)} queued deliveries/s`
  );
};

const countRecords = async ({ steward }: Stage, domain: string): Promise<number> => {
  const { dataRecords } = await steward.graphql<{ dataRecords: { page: { totalElements: number } } }>(
    `{ dataRecords(domainName: "${domain}", excludeAdaptors: true, size: 1) { page { totalElements } } }`,
  );
  return dataRecords.page.totalElements;
};

/** A separate domain for each source, with the given number of destinations, which are not connected. */
const createRoutes = async (stage: Stage, { sources, destinations }: Adaptors) => {
  const { leftovers, service } = stage;
  const routes: { readonly domain: string; readonly source: EventSource }[] = [];
  for (let route = 0; route < sources; route += 1) {
    const domain = `from-${sources}-to-${destinations}-${route}`;
    const { createAdaptor } = await createCustomerDomain(stage, domain);
    await inParallel(4, [...Array(destinations).keys()], (index) => createAdaptor(`${domain} destination ${index}`));
    const source = await openEventSource(leftovers, service.busUrl, await createAdaptor(`${domain} source`), domain);
    routes.push({ domain, source });
  }
  return routes;
};

/** All sources send new records at the same time. */
const measure = async (stage: Stage, adaptors: Adaptors): Promise<readonly number[]> => {
  const { sources, destinations } = adaptors;
  const routes = await createRoutes(stage, adaptors);
  const perSource = Math.max(100, Math.floor(deliveriesPerRound / (sources * destinations)));
  const eventsPerSecond: number[] = [];
  // the first round warms up
  for (let round = 0; round <= rounds; round += 1) {
    const records = Array.from({ length: perSource }, (_, index) => ({ ...customer(round * perSource + index) }));
    for (const { source } of routes) source.prepare(records);
    const startedMs = performance.now();
    await Promise.all(routes.map(({ source }) => source.sendPrepared()));
    if (round > 0) eventsPerSecond.push((perSource * sources * 1000) / (performance.now() - startedMs));
  }
  const sent = perSource * (rounds + 1);
  for (const { domain } of routes) {
    const records = await countRecords(stage, domain);
    if (records !== sent) throw new Error(`of ${sent} records of ${domain} ${records} are there`);
  }
  return eventsPerSecond;
};

export const eventRates: Figure = {
  what:
    `Events with 1, 10 and 100 adaptors (new records of 10 properties, ${rounds} rounds; destinations are away: validation, ` +
    'routing and commit)',
  deadlineMs: 300_000,
  run: (signal, tell) =>
    onStage(signal, async (stage) => {
      for (const adaptors of constellations) tell(describe(adaptors, await measure(stage, adaptors)));
    }),
};

import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Hub } from './conformance/hub.js';
import { openHub } from './conformance/open-hub.js';
import type { AdaptorHandlers } from './handlers.js';
import { type AdaptorWorld, openAdaptorWorld } from './testing/adaptor-world.js';
import { eventually } from './testing/eventually.js';

const version = { domain: 'customer', version: 1 };

let world: AdaptorWorld;
let hub: Hub;
beforeEach(async () => {
  world = await openAdaptorWorld();
  hub = await openHub({ capabilities: [], metadata: {}, domainVersions: [], patienceMs: 5_000 });
  hub.discoveryMode = true;
});
afterEach(async () => {
  await world.close();
  await hub.close();
});

/** An adaptor of the hub. Its journal outlives it. */
const start = async (handlers: AdaptorHandlers = {}) => {
  const { adaptorUuid, secret, url } = hub;
  const credentials = { 'adaptor.uuid': adaptorUuid, 'client.id': adaptorUuid, 'client.secret': secret };
  const adaptor = await world.start(handlers, { ...credentials, 'message.bus.url': url });
  await eventually(() => adaptor.state === 'STARTED');
  return adaptor;
};

const publish = (adaptor: Awaited<ReturnType<typeof start>>, n: number): Promise<void> =>
  adaptor.publish({ action: 'POST', ...version, json: { n } });

const reports = () => hub.heard.discovered.map(({ report }) => report);

it('is reported when the server has acknowledged the records before it, also over a restart', async () => {
  hub.takesData = false;
  const first = await start();
  expect(first.isDiscovering(version)).toBe(true);
  for (const n of [1, 2, 3]) await publish(first, n);
  await first.reportDiscovered({ ...version, records: 3 });
  expect(first.isDiscovering(version)).toBe(false);
  await publish(first, 4);
  await eventually(() => hub.dataDropped > 0);
  await first.stop();
  expect(reports()).toEqual([]);
  hub.takesData = true;
  await start();
  await eventually(() => reports().length === 1);
  const [{ report, eventsBefore } = { report: undefined, eventsBefore: 0 }] = hub.heard.discovered;
  expect(report).toEqual({ ...version, records: 3 });
  expect(eventsBefore).toBeGreaterThanOrEqual(3);
});

it('is reported once for each version, and not outside discovery mode', async () => {
  const first = await start();
  await first.reportDiscovered({ ...version, records: 0 });
  await eventually(() => reports().length === 1);
  await first.stop();
  const second = await start();
  expect(second.isDiscovering(version)).toBe(false);
  await second.reportDiscovered({ ...version, records: 9 });
  await second.reportDiscovered({ domain: 'order', version: 2, records: 5 });
  await eventually(() => reports().length === 2);
  hub.discoveryMode = false;
  hub.configure();
  await eventually(() => !second.isDiscovering({ domain: 'other', version: 1 }));
  await second.reportDiscovered({ domain: 'other', version: 1, records: 1 });
  // a later report of the adaptor has arrived
  await second.reportError({ level: 'WARN', kind: 'CONFIGURATION', message: 'later' });
  await eventually(() => hub.heard.errors.length === 1);
  expect(reports()).toEqual([
    { ...version, records: 0 },
    { domain: 'order', version: 2, records: 5 },
  ]);
});

it('is reported again to a server that does not know it', async () => {
  const first = await start();
  await first.reportDiscovered({ ...version, records: 2 });
  await eventually(() => reports().length === 1);
  await first.stop();
  hub.heard.discovered.length = 0;
  await start();
  await eventually(() => reports().length === 1);
  expect(reports()).toEqual([{ ...version, records: 2 }]);
});

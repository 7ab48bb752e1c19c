import type { RunningAdaptor } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { allActions, createAdaptor, createVersion, requireStatus } from '../harness/catalogue.js';
import { createLeftovers } from '../harness/leftovers.js';
import type { Service } from '../harness/service.js';
import { startSourceAdaptor } from '../harness/source-adaptor.js';
import { openTraceCollector, type CollectedSpan, type TraceCollector } from '../harness/trace-collector.js';
import { openWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.js';
import { openDoors, type Doors, type Resource } from './open-doors.js';

const domain = 'traced_names';
const parentSpan = 'b7ad6b7169203331';
let traces = 0;
/** A new trace. */
const newTrace = (): { readonly traceId: string; readonly traceparent: string } => {
  traces += 1;
  const traceId = `4bf92f3577b34da6a3ce929d0e0e${String(traces).padStart(4, '0')}`;
  return { traceId, traceparent: `00-${traceId}-${parentSpan}-01` };
};

/** Each span of a trace as `service name < name of its parent`. */
const shapeOf = (spans: readonly CollectedSpan[]): readonly string[] => {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const lines = spans.map(({ service, name, parentSpanId = '' }) => {
    const parent = parentSpanId === parentSpan ? 'the caller' : (byId.get(parentSpanId)?.name ?? 'nothing');
    return `${service}: ${name} < ${parent}`;
  });
  return lines.sort((a, b) => (a < b ? -1 : 1));
};

describe('traces', () => {
  const leftovers = createLeftovers();
  const before = { ...process.env };
  let collector: TraceCollector;
  let doors: Doors<Service>;
  let receiver: WebhookReceiver;
  let source: RunningAdaptor;
  const applied: string[] = [];
  const logged = (): string => doors.service.process().output();

  const untilTrace = (traceId: string, shape: readonly string[]): Promise<void> =>
    eventually(() => expect(shapeOf(collector.of(traceId))).toEqual([...shape].sort((a, b) => (a < b ? -1 : 1))));

  beforeAll(async () => {
    collector = await openTraceCollector(leftovers);
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '100' };
    doors = await openDoors(leftovers, { ...environment, FDS_WEBHOOK_ALLOW_PRIVATE: 'true', FDS_LOG_LEVEL: 'info' });
    // the adaptors run in this process
    Object.assign(process.env, environment);
    receiver = await openWebhookReceiver(leftovers);
    const { dgs, root, service } = doors;
    await createVersion(dgs, {
      name: domain,
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'string' }, n: { type: 'integer' } },
      drKeyProperties: ['id'],
    });
    const capabilities = allActions(domain);
    const [from, to] = [
      await createAdaptor(dgs, root, { name: 'from', capabilities }),
      await createAdaptor(dgs, root, { name: 'to', capabilities }),
    ];
    source = await startSourceAdaptor(leftovers, service, from, {});
    await startSourceAdaptor(leftovers, service, to, {
      apply: async ({ jsonData }) => {
        applied.push(jsonData);
      },
    });
    requireStatus(
      await dgs.rest('PUT', '/notifications', {
        callback: receiver.url,
        callbackType: 'WEB_HOOK',
        events: [{ resource: '/drs/?', actions: ['POST'] }],
      }),
      204,
    );
  }, 120_000);
  afterAll(async () => {
    await leftovers.dispose();
    for (const name of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_BSP_SCHEDULE_DELAY'] as const) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }, 60_000);

  it('show one change from the request to the adaptors, their reports and the webhook', async () => {
    const { traceId, traceparent } = newTrace();
    const sent = { method: 'POST', json: { name: domain, json: { id: 'a', n: 1 } }, headers: { traceparent } };
    requireStatus(await doors.dgs.call<Resource>('/api/drs', sent), 201);
    await untilTrace(traceId, [
      'fds: POST /api/drs < the caller',
      'fds: mutation < POST /api/drs',
      'fds: transaction < mutation',
      'fds: publish down/data < transaction',
      'fds: publish down/data < transaction',
      'fds-adaptor: apply < publish down/data',
      'fds-adaptor: apply < publish down/data',
      'fds: receive up/data < apply',
      'fds: receive up/data < apply',
      'fds: transaction < receive up/data',
      'fds: transaction < receive up/data',
      'fds: POST < transaction',
    ]);
    const webhook = collector.of(traceId).find(({ name }) => name === 'POST');
    const headers = receiver.received.map((one) => one.headers['traceparent']);
    expect(headers).toEqual([`00-${traceId}-${webhook?.spanId ?? ''}-01`]);
  });

  it('begin with a change that an adaptor reports', async () => {
    await source.publish({ action: 'POST', domain, version: 1, json: { id: 'b', n: 2 } });
    const spanOf = (name: string): CollectedSpan | undefined =>
      collector.spans.find((span) => span.name === name && span.parentSpanId === undefined);
    await eventually(() => expect(spanOf('publish up/data')).toBeDefined());
    await untilTrace(spanOf('publish up/data')?.traceId ?? '', [
      'fds-adaptor: publish up/data < nothing',
      'fds: receive up/data < publish up/data',
      'fds: transaction < receive up/data',
      'fds: publish down/data < receive up/data',
      'fds-adaptor: apply < publish down/data',
      'fds: receive up/data < apply',
      'fds: transaction < receive up/data',
      'fds: POST < receive up/data',
    ]);
  });

  it('are taken over from the upgrade of a websocket and from connection_init', async () => {
    const ofSocket = async (upgrade: string | undefined, member: string | undefined): Promise<void> => {
      class Socket extends WebSocket {
        constructor(address: string, protocols: string | string[]) {
          super(address, protocols, { headers: upgrade === undefined ? {} : { traceparent: upgrade } });
        }
      }
      const client = createClient({
        url: doors.service.baseUrl.replace('http', 'ws') + '/graphql',
        webSocketImpl: Socket,
        lazy: true,
        connectionParams: { authorization: `Bearer ${doors.dgs.token ?? ''}`, ...(member && { traceparent: member }) },
      });
      for await (const answer of client.iterate({ query: 'query ChosenName { zones { __typename } }' }))
        expect(answer.errors).toBeUndefined();
      await client.dispose();
    };
    const [header, member, ignored] = [newTrace(), newTrace(), newTrace()];
    await ofSocket(header.traceparent, undefined);
    await ofSocket(ignored.traceparent, member.traceparent);
    for (const { traceId } of [header, member])
      await untilTrace(traceId, ['fds: websocket /graphql < the caller', 'fds: query < websocket /graphql']);
    expect(collector.of(ignored.traceId)).toEqual([]);
  });

  it.each([
    ['long', `00-${'a'.repeat(4_000)}-${parentSpan}-01`, 'x=y'],
    ['of the forbidden version', `ff-4bf92f3577b34da6a3ce929d0e0effff-${parentSpan}-01`, 'x=y'],
    ['without a trace', `00-${'0'.repeat(32)}-${parentSpan}-01`, 'x=y'],
    ['with more members', `00-4bf92f3577b34da6a3ce929d0e0efffe-${parentSpan}-01-more`, `x=${'y'.repeat(4_000)}`],
    [
      'twice',
      `00-4bf92f3577b34da6a3ce929d0e0efffd-${parentSpan}-01, 00-4bf92f3577b34da6a3ce929d0e0efffd-${parentSpan}-01`,
      ',,=',
    ],
  ])('begin where traceparent is %s', async (_, traceparent, tracestate) => {
    const known = collector.spans.length;
    requireStatus(await doors.admin.call('/api/zones', { headers: { traceparent, tracestate } }), 200);
    await eventually(() => {
      const found = collector.spans.slice(known).find(({ name }) => name === 'GET /api/zones');
      expect(found).toMatchObject({ parentSpanId: undefined, traceId: expect.stringMatching(/^[0-9a-f]{32}$/) });
      expect(traceparent).not.toContain(found?.traceId);
    });
  });

  it('leave a trace out that its caller has left out', async () => {
    const { traceId, traceparent } = newTrace();
    const headers = { traceparent: traceparent.replace(/01$/, '00') };
    requireStatus(await doors.admin.call('/api/zones', { headers }), 200);
    const { traceId: later, traceparent: next } = newTrace();
    requireStatus(await doors.admin.call('/api/zones', { headers: { traceparent: next } }), 200);
    await eventually(() => expect(collector.of(later)).not.toEqual([]));
    expect(collector.of(traceId)).toEqual([]);
  });

  it('hold nothing that a caller names', () => {
    const text = JSON.stringify(collector.spans);
    for (const chosen of [domain, 'ChosenName']) expect(text).not.toContain(chosen);
  });

  it('are in the lines of the log, with the actor and the operation', async () => {
    const { traceId, traceparent } = newTrace();
    const json = { query: 'query ChosenName { zones { __typename } }' };
    requireStatus(await doors.admin.call('/graphql', { method: 'POST', json, headers: { traceparent } }), 200);
    const rest = newTrace();
    requireStatus(await doors.admin.call('/api/zones', { headers: { traceparent: rest.traceparent } }), 200);
    const line = (id: string): unknown =>
      logged()
        .split('\n')
        .filter((each) => each.startsWith('{') && each.includes(id))
        .map((each): unknown => JSON.parse(each))[0];
    const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown;
    await eventually(() => expect(line(traceId)).toMatchObject({ traceId, actor: uuid, operation: 'query' }));
    await eventually(() =>
      expect(line(rest.traceId)).toMatchObject({ traceId: rest.traceId, actor: uuid, operation: 'listZones' }),
    );
  });

  it('harm nothing when their collector is gone, and the process ends in time', async () => {
    await collector.close();
    for (let count = 0; count < 20; count += 1) requireStatus(await doors.admin.call('/api/zones', {}), 200);
    await eventually(() => expect(logged()).toContain('the collector of traces takes no spans'));
    requireStatus(await doors.dgs.rest('POST', '/drs', { name: domain, json: { id: 'c', n: 3 } }), 201);
    await eventually(() => expect(applied.join()).toContain('"c"'));
    const begin = performance.now();
    expect(await doors.service.stop()).toBe(0);
    expect(performance.now() - begin).toBeLessThan(15_000);
  });
});

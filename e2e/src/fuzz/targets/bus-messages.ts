import { formatSequence, type Channel } from '@fds/adaptor-protocol';
import { eventually } from '@fds/testing';
import fc from 'fast-check';
import type { Place } from '../../faults/hostile/hostile-messages.js';
import type { HostileAdaptor } from '../../faults/hostile/open-hostile-adaptor.js';
import type { FuzzCase, FuzzTarget } from '../fuzz-target.js';
import { validRecord, type FuzzStage } from '../open-fuzz-stage.js';
import { anyJson, anyText, bent, mutated, slightlyBent } from '../values/hostile-values.js';

const otherChannels = ['up/link', 'up/ops', 'up/status', 'up/log', 'up/rsp', 'up/ack', 'up/hello'] as const;

/** An event whose envelope uses the place in the sequence. */
const eventAt = ({ epoch, sequence, id, source, time }: Place, data: unknown): Record<string, unknown> => ({
  specversion: '1.0',
  id,
  source,
  type: 'fds.data.v1',
  time,
  epoch,
  sequence: formatSequence(sequence),
  data,
});

/** The topic and payload of a case. The place in the sequence is known when the case is sent. */
type Payload = readonly [Channel, (place: Place) => string];

const event = {
  action: 'PUT',
  domain: 'store',
  version: 1,
  transactionUuid: '01890000-0000-7000-8000-00000000beef',
  createTime: 1,
  json: validRecord,
};

const events: fc.Arbitrary<Payload> = fc.oneof(
  slightlyBent(event).map((data): Payload => ['up/data', (place) => JSON.stringify(eventAt(place, data))]),
  slightlyBent(validRecord).map((json): Payload => [
    'up/data',
    (place) => JSON.stringify(eventAt(place, { ...event, json })),
  ]),
  anyText.map((jsonData): Payload => [
    'up/data',
    (place) => JSON.stringify(eventAt(place, { ...event, json: undefined, jsonData })),
  ]),
  slightlyBent({ action: 'DELETE', domain: 'federated', version: 1, drKey: { id: 'a' }, drUuid: 'x' }).map(
    (data): Payload => [
      'up/data',
      (place) => JSON.stringify(eventAt(place, { ...event, json: undefined, ...(data as object) })),
    ],
  ),
  fc
    .tuple(fc.constantFrom('specversion', 'id', 'source', 'type', 'time', 'epoch', 'sequence'), anyJson)
    .map(([member, value]): Payload => [
      'up/data',
      (place) => JSON.stringify({ ...eventAt(place, event), [member]: value }),
    ]),
);

const inFrame = (sequence: string) => ({ id: 'x', type: 'fds.data.v1', sequence, data: event });

/** A batch before its place is known: it contains `<epoch>`, and numbers relative to the place. */
const frame = {
  specversion: '1.0',
  id: 'x',
  source: '/adaptors/x',
  type: 'fds.data.batch.v1',
  time: '2026-11-21T10:00:00Z',
  epoch: '<epoch>',
  data: {
    events: ['<0>', '<1>', '<2>'].map(inFrame),
  },
};

const placed = (json: unknown, { epoch, sequence }: Place): string =>
  (JSON.stringify(json) ?? '')
    .replaceAll('<epoch>', epoch)
    .replace(/<([012])>/g, (_, offset: string) => formatSequence(sequence + Number(offset)));

const batches: fc.Arbitrary<Payload> = fc
  .oneof(
    slightlyBent(frame),
    slightlyBent(frame.data).map((data) => ({ ...frame, data })),
    slightlyBent(frame.data.events).map((events) => ({ ...frame, data: { events } })),
    slightlyBent(inFrame('<1>')).map((second) => ({
      ...frame,
      data: { events: [inFrame('<0>'), second, inFrame('<2>')] },
    })),
    fc.shuffledSubarray([0, 0, 1, 2, 2], { minLength: 1 }).map((order) => ({
      ...frame,
      data: { events: order.map((at) => frame.data.events[at]) },
    })),
    fc.integer({ min: 250, max: 4_000 }).map((count) => ({
      ...frame,
      data: { events: Array.from({ length: count }, () => inFrame('<0>')) },
    })),
    anyJson.map((inner) => ({
      ...frame,
      data: { events: [{ ...frame, sequence: '<0>', data: { events: [inner] } }] },
    })),
  )
  .map((json): Payload => ['up/data', (place) => placed(json, place)]);

const links: fc.Arbitrary<Payload> = slightlyBent({
  links: [{ drKey: { id: 'a', count: 1, share: 0.5, open: true }, domain: 'store', version: 1, action: 'LINK' }],
}).map((data): Payload => [
  'up/link',
  (place) => JSON.stringify({ ...eventAt(place, data), type: 'fds.link.v1', sequence: undefined }),
]);

const others: fc.Arbitrary<Payload> = fc
  .tuple(fc.constantFrom(...otherChannels), fc.oneof(mutated(JSON.stringify(event)), anyText, bent(event)))
  .map(([channel, payload]): Payload => [
    channel,
    () => (typeof payload === 'string' ? payload : (JSON.stringify(payload) ?? '')),
  ]);

const doneMs = 60_000;

/** The broker ends the connection of a client that sends a larger packet. */
const maxPacketBytes = 256 * 1024;
/** Topic and header of a packet. */
const maxHeaderBytes = 200;

/**
 * Sends a payload and then a valid event for the same place. Waits until the server has handled one of them. Only a packet that is too
 * large ends the connection.
 */
const sendWith = async (adaptor: HostileAdaptor, [channel, write]: Payload): Promise<void> => {
  if (!adaptor.isConnected()) throw new Error('the broker has ended the connection of an adaptor that said nothing');
  const place = adaptor.place();
  const payload = write(place);
  const bytes = Buffer.byteLength(payload);
  const isTaken = await adaptor.say(channel, payload);
  if (!isTaken) await adaptor.connectAgain();
  if (isTaken && bytes > maxPacketBytes) throw new Error(`the broker takes a packet of ${bytes} bytes`);
  if (!isTaken && bytes + maxHeaderBytes < maxPacketBytes)
    throw new Error(`the broker ends the connection after ${bytes} bytes`);
  const valid = JSON.stringify(eventAt(place, { ...event, transactionUuid: place.transactionUuid }));
  if (!(await adaptor.say('up/data', valid))) throw new Error('the broker ends the connection after a valid event');
  await eventually(
    () => {
      if (adaptor.place().sequence <= place.sequence) throw new Error(`${place.sequence} is not acknowledged`);
    },
    { deadlineMs: doneMs, intervalMs: 1 },
  );
};

/** Messages of adaptors. After each, the adaptor must be able to send the next event. */
export const busMessages = ({ adaptors }: FuzzStage): FuzzTarget => {
  const free = [...adaptors];
  /** Adaptors whose last case failed: their connection may be gone, for which the next case is not the reason. */
  const failed = new Set<HostileAdaptor>();
  const withAdaptor = async (use: (adaptor: HostileAdaptor) => Promise<void>): Promise<void> => {
    // a slow case is sent again, and may have to wait for a free adaptor
    const adaptor = await eventually(
      () => {
        const found = free.pop();
        if (found === undefined) throw new Error('no adaptor is free');
        return found;
      },
      { deadlineMs: doneMs, intervalMs: 1 },
    );
    try {
      if (failed.has(adaptor)) await adaptor.connectAgain();
      failed.delete(adaptor);
      await use(adaptor);
    } catch (error) {
      failed.add(adaptor);
      throw error;
    } finally {
      free.push(adaptor);
    }
  };
  return {
    name: 'bus',
    cases: fc
      .oneof(
        { weight: 6, arbitrary: events },
        { weight: 3, arbitrary: batches },
        { weight: 2, arbitrary: links },
        { weight: 2, arbitrary: others },
      )
      .map((payload): FuzzCase => ({
        label:
          `${payload[0]} ${payload[1]({ epoch: '<epoch>', sequence: 1, id: 'x', source: 'x', time: 'x', transactionUuid: 'x' })}`.slice(
            0,
            2_000,
          ),
        ask: () => withAdaptor((adaptor) => sendWith(adaptor, payload)),
      })),
  };
};

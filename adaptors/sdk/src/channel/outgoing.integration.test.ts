import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { type BatchOffer, eventWindow, receivedBatch, windowBytes } from '@fds/adaptor-protocol';
import { createOutgoing, type Outgoing } from './outgoing.js';
import { type Journal, openJournal } from '../journal/open-journal.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface Opened {
  readonly journal: Journal;
  readonly outgoing: Outgoing;
  /** Messages that were sent. */
  readonly wire: string[];
  /** How often the journal was read. */
  readonly reads: () => number;
}

const open = (folder: string, keptMs = 0): Opened => {
  const journal = openJournal(folder, randomUUID, { ms: keptMs, maxMessages: 1_000, now: Date.now });
  const wire: string[] = [];
  let reads = 0;
  const outgoing = createOutgoing({
    onAcknowledged: () => undefined,
    journal: {
      ...journal,
      read: (...range) => {
        reads += 1;
        return journal.read(...range);
      },
    },
    send: (payload) => wire.push(payload),
    nowMs: () => 0,
    newUuid: randomUUID,
    stamp: () => ({ id: randomUUID(), source: '/adaptors/a', time: '2026-11-21T10:00:00Z' }),
    maxEvents: 10_000,
  });
  return { journal, outgoing, wire, reads: () => reads };
};
const hello = ({ outgoing }: Opened, applied: number, batch?: BatchOffer): void => {
  const { epoch } = outgoing.standing();
  const offer = batch === undefined ? {} : { batch };
  outgoing.met({ epoch, applied, sendEpoch: randomUUID(), sent: 0, ...offer }, 'GO_ON');
};
const eventsOf = (payload: string): number => payload.split('"sequence":').length - 1;
const openFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'fds-outgoing-'));
  folders.push(folder);
  return folder;
};
const kept = ({ journal }: Opened): number => journal.read(1, 1_000, 1_000_000).length;

it('removes acknowledged messages from the journal in one write, at the next tick', async () => {
  const opened = open(openFolder());
  const { journal, outgoing } = opened;
  await Promise.all(Array.from({ length: 100 }, () => outgoing.publish('{"id":"x"}')));
  hello(opened, 0);
  const { epoch } = outgoing.standing();
  for (let upto = 1; upto <= 90; upto += 1) outgoing.acked({ epoch, upto });
  expect(kept(opened)).toBe(100);
  outgoing.tick();
  expect(kept(opened)).toBe(10);
  expect(journal.outgoing()).toEqual({ epoch, acked: 90, last: 100 });
  journal.close();
});

it('does not resend messages that the server has, when a crash happened before that write', async () => {
  const folder = openFolder();
  const first = open(folder);
  await Promise.all(Array.from({ length: 5 }, () => first.outgoing.publish('{"id":"x"}')));
  hello(first, 0);
  first.outgoing.acked({ epoch: first.outgoing.standing().epoch, upto: 4 });
  first.journal.close();
  const second = open(folder);
  expect(second.outgoing.standing()).toMatchObject({ acked: 0, last: 5 });
  hello(second, 4);
  expect(second.wire).toEqual([expect.stringContaining('"sequence":"0000000000000000005"')]);
  expect(kept(second)).toBe(1);
  second.journal.close();
});

it('renumbers only the unacknowledged messages when the server has lost its state', async () => {
  const opened = open(openFolder());
  const { journal, outgoing } = opened;
  for (const id of ['one', 'two', 'three']) await outgoing.publish(`{"id":"${id}"}`);
  hello(opened, 0);
  outgoing.acked({ epoch: outgoing.standing().epoch, upto: 2 });
  outgoing.met({ epoch: null, applied: 0, sendEpoch: randomUUID(), sent: 0 }, 'RENEW');
  expect(journal.read(1, 10, 1_000)).toEqual([{ sequence: 1, body: '{"id":"three"}' }]);
  journal.close();
});

it('sends a restored server what it had acknowledged, as it was sent, and marks it', async () => {
  const opened = open(openFolder(), 3_600_000);
  const { journal, outgoing, wire } = opened;
  for (const id of ['one', 'two', 'three', 'four']) await outgoing.publish(`{"id":"${id}"}`);
  hello(opened, 0);
  const { epoch } = outgoing.standing();
  outgoing.acked({ epoch, upto: 3 });
  expect(outgoing.position()).toEqual({ sendEpoch: epoch, sent: 4, acked: 3 });
  wire.length = 0;
  const theirs = { sendEpoch: randomUUID(), sent: 0 };
  expect(outgoing.met({ ...theirs, epoch, applied: 1 }, 'RENEW')).toBe('SPACE_OPENED');
  hello(opened, 0);
  await outgoing.publish('{"id":"five"}');
  const next = outgoing.standing().epoch;
  const place = (sequence: number): string => `"epoch":"${next}","sequence":"${String(sequence).padStart(19, '0')}"}`;
  expect(wire).toEqual([
    `{"id":"two","resent":true,${place(1)}`,
    `{"id":"three","resent":true,${place(2)}`,
    `{"id":"four","resent":true,${place(3)}`,
    `{"id":"five",${place(4)}`,
  ]);
  journal.close();
});

it('sends events that were published together in one message, and a single event on its own, without reading the journal', async () => {
  const opened = open(openFolder());
  const { journal, outgoing, wire } = opened;
  hello(opened, 0, receivedBatch);
  await outgoing.publish('{"id":"x"}');
  await Promise.all(Array.from({ length: 100 }, () => outgoing.publish('{"id":"x"}')));
  expect(wire.map(eventsOf)).toEqual([1, 100]);
  expect(opened.reads()).toBe(0);
  journal.close();
});

it('reads events for a resend from the journal, and continues from memory', async () => {
  const opened = open(openFolder());
  const { journal, outgoing, wire } = opened;
  const publish = (count: number) => Promise.all(Array.from({ length: count }, () => outgoing.publish('{"id":"x"}')));
  hello(opened, 0, receivedBatch);
  await publish(10);
  outgoing.acked({ epoch: outgoing.standing().epoch, upto: 4 });
  hello(opened, 4, receivedBatch);
  await publish(3);
  hello(opened, 4);
  const sequences = wire.map((payload) => [...payload.matchAll(/"sequence":"0*(\d+)"/g)].map(([, n]) => Number(n)));
  const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  expect(sequences.slice(0, 3)).toEqual([numbers(1, 10), numbers(5, 10), numbers(11, 13)]);
  expect(sequences.slice(3)).toEqual(numbers(5, 13).map((n) => [n]));
  journal.close();
});

it('respects its limits of events and bytes while nothing is acknowledged', async () => {
  for (const [body, events] of [
    ['{"id":"x"}', eventWindow],
    [`{"id":"${'x'.repeat(200_000)}"}`, Math.floor(windowBytes / 200_108)],
  ] as const) {
    const opened = open(openFolder());
    const { journal, outgoing, wire } = opened;
    hello(opened, 0, receivedBatch);
    for (let portion = 0; portion < 11; portion += 1)
      await Promise.all(Array.from({ length: Math.ceil(events / 10) }, () => outgoing.publish(body)));
    expect(wire.reduce((sum, payload) => sum + eventsOf(payload), 0)).toBe(events);
    journal.close();
  }
});

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
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
}

const open = (folder: string): Opened => {
  const journal = openJournal(folder, randomUUID);
  const wire: string[] = [];
  const outgoing = createOutgoing({
    journal,
    send: (payload) => wire.push(payload),
    nowMs: () => 0,
    newUuid: randomUUID,
    maxEvents: 10_000,
  });
  return { journal, outgoing, wire };
};
const hello = ({ outgoing }: Opened, applied: number): void => {
  const { epoch } = outgoing.standing();
  outgoing.met({ epoch, applied, sendEpoch: randomUUID(), sent: 0 }, 'GO_ON');
};
const openFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'fds-outgoing-'));
  folders.push(folder);
  return folder;
};
const kept = ({ journal }: Opened): number => journal.read(1, 1_000).length;

it('removes acknowledged messages from the journal at the next tick, in one write', async () => {
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

it('sends nothing again that the server says it has, where a crash came before that write', async () => {
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

it('renumbers only unacknowledged messages when the server has lost its memory', async () => {
  const opened = open(openFolder());
  const { journal, outgoing } = opened;
  for (const id of ['one', 'two', 'three']) await outgoing.publish(`{"id":"${id}"}`);
  hello(opened, 0);
  outgoing.acked({ epoch: outgoing.standing().epoch, upto: 2 });
  outgoing.met({ epoch: null, applied: 0, sendEpoch: randomUUID(), sent: 0 }, 'RENEW');
  expect(journal.read(1, 10)).toEqual([{ sequence: 1, body: '{"id":"three"}' }]);
  journal.close();
});

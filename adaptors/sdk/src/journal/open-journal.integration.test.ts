import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'libsql';
import { openJournal } from './open-journal.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fds-journal-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const mebibyte = 2 ** 20;

describe('a new epoch of the journal', () => {
  it('does not load the waiting events', () => {
    const journal = openJournal(folder, randomUUID);
    const body = 'x'.repeat(1_024);
    const portion = Array.from({ length: 1_000 }, () => body);
    for (let n = 0; n < 100; n += 1) journal.append(portion);
    journal.acknowledge(10);
    const before = process.memoryUsage();
    journal.renumber('another');
    const after = process.memoryUsage();
    expect(journal.outgoing()).toEqual({ epoch: 'another', acked: 0, last: 99_990 });
    // the bodies have 98 MiB in total
    expect((after.rss - before.rss) / mebibyte).toBeLessThan(16);
    journal.close();
  });

  it('numbers the waiting events from 1 each time, also after the journal was opened again', () => {
    const bodies = ['one', 'two', 'three', 'four', 'five'];
    const first = openJournal(folder, randomUUID);
    first.append(bodies);
    first.acknowledge(2);
    first.renumber('second');
    expect(first.append(['six'])).toBe(4);
    first.acknowledge(1);
    first.renumber('third');
    first.close();
    const again = openJournal(folder, randomUUID);
    expect(again.outgoing()).toEqual({ epoch: 'third', acked: 0, last: 3 });
    expect(again.append(['seven'])).toBe(4);
    expect(again.read(2, 4, 1_000)).toEqual([
      { sequence: 2, body: 'five' },
      { sequence: 3, body: 'six' },
      { sequence: 4, body: 'seven' },
    ]);
    again.acknowledge(3);
    expect(again.read(1, 100, 1_000)).toEqual([{ sequence: 4, body: 'seven' }]);
    again.close();
  });
});

it('opens a journal of an earlier version, which has no offset and no waiting events', () => {
  const earlier = new Database(join(folder, 'journal.db'));
  earlier.exec(`
    create table state (
      id integer primary key check (id = 1),
      send_epoch text not null, send_acked integer not null, send_last integer not null,
      receive_epoch text, receive_applied integer not null,
      sent_count integer not null, received_count integer not null);
    create table outgoing (sequence integer primary key, body text not null);
    insert into state values (1, 'earlier', 1, 2, 'theirs', 7, 2, 7);
    insert into outgoing values (2, 'two');
  `);
  earlier.close();
  const journal = openJournal(folder, randomUUID);
  expect(journal.outgoing()).toEqual({ epoch: 'earlier', acked: 1, last: 2 });
  expect(journal.incoming()).toEqual({ epoch: 'theirs', sequence: 7, settled: 7 });
  expect(journal.read(1, 10, 1_000)).toEqual([{ sequence: 2, body: 'two' }]);
  journal.close();
});

it('ends a read with the message that exceeds the limit of characters', () => {
  const journal = openJournal(folder, randomUUID);
  journal.append(['zero', 'first', 'second', 'third']);
  journal.acknowledge(1);
  journal.renumber('another');
  const bodies = (maxCharacters: number) => journal.read(1, 3, maxCharacters).map(({ body }) => body);
  expect(bodies(1)).toEqual(['first']);
  expect(bodies(6)).toEqual(['first', 'second']);
  expect(bodies(100)).toEqual(['first', 'second', 'third']);
  journal.close();
});

describe('acknowledged events', () => {
  const hour = 3_600_000;
  let nowMs: number;
  const open = (maxMessages = 1_000) =>
    openJournal(folder, () => 'first', { ms: 2 * hour, maxMessages, now: () => nowMs });
  const bodies = (journal: ReturnType<typeof open>) => journal.read(1, 100, 1_000).map(({ body }) => body);
  beforeEach(() => {
    nowMs = 1_000 * hour;
  });

  it('are numbered again from the position of a receiver that went back, also after the journal was opened again', () => {
    const journal = open();
    journal.append(['one', 'two', 'three', 'four']);
    journal.acknowledge(3);
    journal.close();
    const again = open();
    again.renumber('second', { epoch: 'first', applied: 1 });
    expect(again.outgoing()).toEqual({ epoch: 'second', acked: 0, last: 3 });
    expect(bodies(again)).toEqual(['two', 'three', 'four']);
    expect(again.resent()).toBe(3);
    again.append(['five']);
    again.acknowledge(4);
    // the receiver went back once more, to its position in the first space
    again.renumber('third', { epoch: 'first', applied: 2 });
    expect(bodies(again)).toEqual(['three', 'four', 'five']);
    expect(again.resent()).toBe(3);
    again.close();
  });

  it('are all numbered again for a receiver that has nothing, and none for one that knows another journal', () => {
    const journal = open();
    journal.append(['one', 'two', 'three']);
    journal.acknowledge(2);
    journal.renumber('second', { epoch: null, applied: 0 });
    expect(bodies(journal)).toEqual(['one', 'two', 'three']);
    journal.acknowledge(3);
    journal.renumber('third', { epoch: 'unknown', applied: 1 });
    expect(journal.outgoing()).toEqual({ epoch: 'third', acked: 0, last: 0 });
    journal.close();
  });

  it('are removed after their time, and beyond their number', () => {
    const journal = open(4);
    journal.append(['one', 'two']);
    journal.acknowledge(2);
    nowMs += 3 * hour;
    journal.append(['three', 'four', 'five', 'six', 'seven', 'eight']);
    journal.acknowledge(3);
    journal.renumber('second', { epoch: null, applied: 0 });
    expect(bodies(journal)[0]).toBe('three');
    journal.acknowledge(6);
    journal.renumber('third', { epoch: null, applied: 0 });
    expect(bodies(journal)).toEqual(['five', 'six', 'seven', 'eight']);
    journal.close();
  });
});

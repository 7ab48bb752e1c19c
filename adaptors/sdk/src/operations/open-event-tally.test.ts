import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Journal, openJournal } from '../journal/open-journal.js';
import { type EventTally, openEventTally } from './open-event-tally.js';

const minuteMs = 60_000;

describe('the history of data events', () => {
  let directory: string;
  let journal: Journal;
  let tally: EventTally;
  let nowMs: number;

  const open = (): void => {
    journal = openJournal(directory, () => 'epoch');
    tally = openEventTally({ counts: journal.counts, nowMs: () => nowMs, timeZone: 'Europe/Oslo' });
  };
  const close = (): void => {
    tally.close();
    journal.close();
  };
  const receive = (sequence: number): void =>
    journal.storeIncoming({
      position: { epoch: 'theirs', sequence, settled: sequence },
      added: [],
      removed: [],
      reports: [],
    });

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'fds-tally-'));
    nowMs = 1_000 * minuteMs;
    open();
    receive(0);
  });
  afterEach(() => {
    close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('has each minute with events, and returns the minute up to which it is final', () => {
    journal.append(['{}', '{}']);
    tally.metrics();
    nowMs += 3 * minuteMs;
    tally.metrics();
    receive(5);
    expect(tally.metrics(0)).toEqual({
      sent: 2,
      received: 5,
      timeZone: 'Europe/Oslo',
      history: {
        from: 0,
        until: 1_003,
        more: false,
        minutes: [
          { minute: 1_000, sent: 2, received: 0 },
          { minute: 1_003, sent: 0, received: 5 },
        ],
      },
    });
    expect(tally.metrics(1_001).history?.minutes).toEqual([{ minute: 1_003, sent: 0, received: 5 }]);
    expect(tally.metrics()).toEqual({ sent: 2, received: 5, timeZone: 'Europe/Oslo' });
  });

  it('survives a restart, and loses no count of a process that died', () => {
    journal.append(['{}']);
    tally.metrics();
    journal.append(['{}', '{}']);
    journal.close(); // the process dies before it added its counts to a minute
    nowMs += minuteMs;
    open();
    expect(tally.metrics(0)).toMatchObject({
      sent: 3,
      history: {
        minutes: [
          { minute: 1_000, sent: 1 },
          { minute: 1_001, sent: 2 },
        ],
      },
    });
  });

  it('deletes minutes that are older than 30 days', () => {
    journal.append(['{}']);
    tally.metrics();
    nowMs += (30 * 24 * 60 + 1) * minuteMs;
    tally.metrics();
    journal.append(['{}']);
    expect(tally.metrics(0)).toMatchObject({ sent: 2, history: { minutes: [{ sent: 1 }] } });
  });

  it('is returned in several answers without a gap between them', () => {
    for (let minute = 0; minute < 2_500; minute += 1) {
      tally.metrics();
      journal.append(['{}']);
      tally.metrics();
      nowMs += minuteMs;
    }
    const first = tally.metrics(0).history;
    expect([first?.more, first?.minutes.length]).toEqual([true, 2_000]);
    const second = tally.metrics(first?.until).history;
    expect([second?.more, second?.minutes.length, second?.minutes[0]?.minute]).toEqual([false, 500, first?.until]);
    expect(second?.until).toBe(3_500);
  });

  it('knows the counts that were not reported yet', () => {
    expect(tally.unreported()).toBeUndefined();
    journal.append(['{}']);
    expect(tally.unreported()).toMatchObject({ sent: 1, history: { minutes: [{ minute: 1_000, sent: 1 }] } });
    tally.metrics(0);
    nowMs += minuteMs;
    expect(tally.unreported()).toBeUndefined();
  });
});

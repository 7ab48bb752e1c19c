import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KeptReport } from './kept-properties.js';
import { type Journal, openJournal } from './open-journal.js';

let folder: string;
let journal: Journal;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fds-journal-'));
  journal = openJournal(folder, randomUUID);
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true, force: true });
});

const epoch = randomUUID();
const customer = { domain: 'customer', version: 1 };
const report = (given: Partial<KeptReport> & Pick<KeptReport, 'sequence'>): KeptReport => ({
  ...customer,
  drUuid: 'a',
  drKeyValues: [1],
  epoch,
  kept: [],
  brought: ['name'],
  ...given,
});
const store = (...reports: readonly KeptReport[]): void => {
  const sequence = reports.at(-1)?.sequence ?? 0;
  journal.storeIncoming({
    position: { epoch, sequence, settled: sequence },
    added: [],
    removed: [],
    reports: [],
    kept: reports,
  });
};
const sequenceOf = (drUuid: string): number | undefined =>
  journal.kept.find(() => ({ ...customer, drUuid }))?.position.sequence;

describe('kept properties', () => {
  it('are found by the uuid or the DR Key of the record, also by the next process', () => {
    store(report({ sequence: 3, kept: ['name'] }));
    journal.close();
    journal = openJournal(folder, randomUUID);
    const mark = { drUuid: 'a', position: { epoch, sequence: 3 } };
    expect(journal.kept.find(() => ({ ...customer, drUuid: 'a' }))).toEqual(mark);
    expect(journal.kept.find(() => ({ ...customer, drKeyValues: [1] }))).toEqual(mark);
    expect(journal.kept.find(() => ({ ...customer, drKeyValues: [2] }))).toBeUndefined();
    expect(journal.kept.find(() => ({ ...customer, version: 2, drKeyValues: [1] }))).toBeUndefined();
  });

  it('keep the first message until the record is reported', () => {
    store(report({ sequence: 3, kept: ['name'] }), report({ sequence: 4, kept: ['phone'], brought: ['phone'] }));
    const mark = journal.kept.find(() => ({ ...customer, drUuid: 'a' }));
    if (mark === undefined) throw new Error('no mark');
    expect(mark.position.sequence).toBe(3);
    journal.kept.reported(mark);
    expect(sequenceOf('a')).toBeUndefined();
    store(report({ sequence: 5, kept: ['name'] }));
    journal.kept.reported(mark);
    expect(sequenceOf('a')).toBe(5);
  });

  it.each<[string, Partial<KeptReport>, number | undefined]>([
    ['all of them are written by later events', { brought: ['name', 'phone'] }, undefined],
    ['some are written by a later event', { brought: ['name'] }, 3],
    ['a later event keeps them again', { brought: ['name', 'phone'], kept: ['phone'] }, 3],
    ['the record is deleted', { brought: undefined }, undefined],
    ['a later deletion is kept', { brought: undefined, kept: ['name'] }, 3],
  ])('after %s', (_, later, sequence) => {
    store(report({ sequence: 3, kept: ['name', 'phone'] }), report({ sequence: 4, ...later }));
    expect(sequenceOf('a')).toBe(sequence);
  });

  it('stay within their bounds, and the oldest give way', () => {
    const long = Array.from({ length: 1_000 }, (_, n) => `property-${n}`);
    for (let from = 1; from <= 10_500; from += 500)
      store(
        ...Array.from({ length: 500 }, (_, n) =>
          report({ sequence: from + n, drUuid: `r${from + n}`, drKeyValues: ['x'.repeat(2_000), n], kept: long }),
        ),
      );
    expect([sequenceOf('r1'), sequenceOf('r501'), sequenceOf('r10500')]).toEqual([undefined, 501, 10_500]);
    // a mark with too many names stays until its record is reported
    store(report({ sequence: 10_501, drUuid: 'r10500', brought: long }));
    expect(sequenceOf('r10500')).toBe(10_500);
  }, 30_000);
});

import { AppError } from '@fds/errors';
import { describe, expect, it } from '@jest/globals';
import { ImportTally, maxFaults } from './import-tally.js';

const cause = (detail: string) => ({ pointer: '', code: 'WRONG_VALUE', detail });

describe('the tally of an import', () => {
  it('keeps the faults of the first rows, in whatever order they come', () => {
    const tally = new ImportTally();
    // the even rows from the last one, then the odd ones from the first one
    const even = Array.from({ length: 10_000 }, (_, index) => 20_000 - 2 * index);
    const odd = Array.from({ length: 10_000 }, (_, index) => 2 * index + 1);
    for (const row of [...even, ...odd]) tally.fail(row, [cause(`row ${row}`)]);
    expect(tally.counts).toEqual({ total: 20_000, created: 0, updated: 0, unchanged: 0, failed: 20_000 });
    expect(tally.faults.map(({ row }) => row)).toEqual(Array.from({ length: maxFaults }, (_, index) => index + 1));
    expect(tally.faults[41]?.detail).toBe('row 42');
  });

  it('lists the causes of a row in their order, up to the bound', () => {
    const tally = new ImportTally();
    const causes = Array.from({ length: 3 * maxFaults }, (_, index) => cause(String(index)));
    tally.take(2, { outcome: 'REFUSED', error: new AppError('VALIDATION_FAILED', 'x', { errors: causes }) });
    tally.fail(1, causes.slice(0, 10));
    expect(tally.faults.map(({ row, detail }) => [row, detail])).toEqual([
      ...causes.slice(0, 10).map(({ detail }) => [1, detail]),
      ...causes.slice(0, maxFaults - 10).map(({ detail }) => [2, detail]),
    ]);
  });
});

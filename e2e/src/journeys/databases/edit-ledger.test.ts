import { describe, expect, it } from '@jest/globals';
import { requireTable } from './chinook-database.js';
import { createEditLedger } from './edit-ledger.js';

const artist = requireTable('Artist');
const row = (ArtistId: number, Name: string) => ({ ArtistId, Name });

describe('the ledger of edits', () => {
  it('finds lost changes, lost deletions and lost rows', () => {
    const ledger = createEditLedger();
    ledger.mustBe(artist, 1, { column: 'Name', value: 'a' });
    ledger.mustBe(artist, 1, { column: 'Name', value: 'b' });
    ledger.mustBe(artist, 2, 'GONE');
    ledger.mustBe(artist, 3, { column: 'Name', value: 'c' });
    expect(ledger.edits).toBe(4);
    expect(ledger.faults(artist, [row(1, 'b'), row(3, 'c')])).toEqual([]);
    expect(ledger.faults(artist, [row(1, 'a'), row(2, 'x')])).toEqual([
      'Artist 1: Name is a, not b',
      'Artist 2 is not deleted',
      'Artist 3 is missing',
    ]);
  });

  it('accepts any of the values of a row that several editors write', () => {
    const ledger = createEditLedger();
    ledger.mayBe(artist, 1, 'Name', 'a');
    ledger.mayBe(artist, 1, 'Name', 'b');
    expect(ledger.faults(artist, [row(1, 'a')])).toEqual([]);
    expect(ledger.faults(artist, [row(1, 'before')])).toEqual(['Artist 1: Name is before, not a or b']);
  });
});

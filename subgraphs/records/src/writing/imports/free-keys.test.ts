import { AppError } from '@fds/errors';
import { describe, expect, it } from '@jest/globals';
import type { WriteResult } from '../writes/domain/record-write.js';
import { FreeKeys } from './free-keys.js';

const created: WriteResult = { outcome: 'CREATED', recordUuid: 'a' };
const updated: WriteResult = { outcome: 'UPDATED', recordUuid: 'a' };
const unchanged: WriteResult = { outcome: 'UNCHANGED', recordUuid: 'a' };
const wrong: WriteResult = { outcome: 'REFUSED', error: new AppError('VALIDATION_FAILED', 'wrong') };
const taken: WriteResult = { outcome: 'REFUSED', error: new AppError('DUPLICATE_DR_KEY', 'taken') };
const forbidden: WriteResult = { outcome: 'REFUSED', error: new AppError('FORBIDDEN', 'not yours') };

describe('FreeKeys', () => {
  it.each<[string, boolean, readonly (readonly WriteResult[])[]]>([
    ['before the first row', false, []],
    ['after rows that are all wrong', false, [[wrong, wrong]]],
    ['after new records', true, [[created, created]]],
    ['after new records among wrong rows', true, [[wrong, created], [wrong]]],
    ['after a replaced record', false, [[created, updated]]],
    ['after an equal record', false, [[unchanged], [created]]],
    ['after a key that was taken', false, [[created], [taken], [created]]],
    ['after a valid row that was refused', false, [[created], [forbidden], [created]]],
  ])('answers %s: %s', (_, likely, batches) => {
    const keys = new FreeKeys();
    for (const results of batches) keys.note(results);
    expect(keys.areLikely).toBe(likely);
  });
});

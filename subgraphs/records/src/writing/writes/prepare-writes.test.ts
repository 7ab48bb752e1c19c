import { describe, expect, it } from '@jest/globals';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import { createVersion } from '../../testing/event-world.js';
import { prepareWrites } from './prepare-writes.js';

const version = createVersion('SERVICE_DATA_STORE');
const view = { findVersionByUuid: () => Promise.resolve(version) } as unknown as CatalogView;
const noDatabase = { query: () => Promise.reject(new TypeError('no statement is needed')) } as never;

const writes = Array.from({ length: 50_000 }, (_, id) => ({
  kind: 'REPLACE' as const,
  domainVersionUuid: version.uuid,
  json: id % 2 === 0 ? { id, name: `n${id}` } : { id: 'wrong' },
}));

describe('the preparation of writes', () => {
  it('lets other work run while it validates many records', async () => {
    let turns = 0;
    const count = (): void => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const prepared = await prepareWrites(noDatabase, view, writes);
    clearImmediate(next);
    expect(prepared).toHaveLength(writes.length);
    expect(turns).toBeGreaterThan(0);
  });

  it('gives the causes of a refusal only where they are listed', async () => {
    const some = writes.slice(0, 4);
    const causesOf = async (listed: 'ALL' | 'NONE') =>
      (await prepareWrites(noDatabase, view, some, listed)).map((each) =>
        'refusal' in each ? [each.refusal.code, each.refusal.errors.length, each.version === version] : undefined,
      );
    const refused = (causes: number) => ['VALIDATION_FAILED', causes, true];
    expect(await causesOf('ALL')).toEqual([undefined, refused(2), undefined, refused(2)]);
    expect(await causesOf('NONE')).toEqual([undefined, refused(0), undefined, refused(0)]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { ParkedReleases } from './parked-releases.js';

const key = (domainVersionUuid: string, number: number) => ({ domainVersionUuid, keyDigest: String(number) });

describe('HeldReleases', () => {
  it('holds the same twice once, and nothing after it was taken', () => {
    const releases = new ParkedReleases();
    releases.add({ kind: 'AWAITED', keys: [key('v', 1), key('v', 2)] });
    releases.add({ kind: 'AWAITED', keys: [key('v', 2), key('w', 2)] });
    releases.add({ kind: 'CAUSE', cause: 'IN_USE' });
    releases.add({ kind: 'CAUSE', cause: 'IN_USE' });
    expect(releases.take()).toEqual([
      { kind: 'CAUSE', cause: 'IN_USE' },
      { kind: 'AWAITED', keys: [key('v', 1), key('v', 2), key('w', 2)] },
    ]);
    expect(releases.take()).toEqual([]);
  });

  it('names the version instead of very many keys of it', () => {
    const releases = new ParkedReleases();
    releases.add({ kind: 'AWAITED', keys: Array.from({ length: 10_001 }, (_, number) => key('v', number)) });
    releases.add({ kind: 'AWAITED', keys: [key('v', 1), key('w', 1)] });
    expect(releases.take()).toEqual([
      { kind: 'AWAITED', keys: [key('w', 1)] },
      { kind: 'AWAITED_OF', versionUuids: ['v'] },
    ]);
    expect(releases.take()).toEqual([]);
  });

  it('parks nothing besides ALL, except queues', () => {
    const releases = new ParkedReleases();
    const queue = { adaptorUuid: 'a', domainVersionUuid: 'v', keyDigest: '1' };
    releases.add({ kind: 'AWAITED', keys: [key('v', 1)] });
    releases.add({ kind: 'AWAITED_OF', versionUuids: ['w'] });
    releases.add({ kind: 'QUEUES', queues: [queue] });
    releases.add({ kind: 'ALL' });
    expect(releases.take()).toEqual([{ kind: 'ALL' }, { kind: 'QUEUES', queues: [queue] }]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { createAdaptor, createWorld } from '../../testing/event-world.js';
import type { Seen } from '../routing/seen.js';

const ada = { id: 1, name: 'Ada', note: 'n' };
const afterOrder: Seen = { applied: 1, begun: 1 };

/** A record that A and B hold, which A then deletes: the DELETE is the second message to B. */
const deletedByA = (domainType: 'FEDERATED' | 'SERVICE_DATA_STORE' = 'SERVICE_DATA_STORE') => {
  const world = createWorld({ domainType, adaptors: ['A', 'B'].map((name) => createAdaptor(name)) });
  const recordUuid = world.happen('A', { action: 'POST', json: ada }).event?.recordUuid ?? '';
  world.report('B', 'LINK', recordUuid);
  const deletion = world.happen('A', { action: 'DELETE', drKey: { id: 1 } });
  if (domainType === 'FEDERATED') world.report('B', 'UNLINK', recordUuid);
  expect(world.book.isDeleted(recordUuid)).toBe(true);
  return { ...world, recordUuid, deletion };
};

describe.each(['SERVICE_DATA_STORE', 'FEDERATED'] as const)('of a %s record that is gone', (domainType) => {
  it('reports from before the adaptor began with the DELETE change nothing', () => {
    const { happen, book, version } = deletedByA(domainType);
    for (const json of [ada, { id: 1, name: 'Ada' }]) {
      const outcome = happen('B', { action: 'PUT', json }, afterOrder);
      expect([outcome.event, outcome.deliveries, outcome.crossed]).toEqual([undefined, [], 'LATE']);
    }
    expect(book.byKey(version.uuid, book.removedLinks.changes().kept[0]?.keyDigest ?? '')).toEqual([]);
  });

  it('reports from while the adaptor may have applied the DELETE are answered with another one', () => {
    const { happen, sent } = deletedByA(domainType);
    const outcome = happen('B', { action: 'PUT', json: ada }, { applied: 1, begun: 2 });
    expect(outcome.event).toBeUndefined();
    expect(sent(outcome)).toEqual(['B DELETE {}']);
    // the same once more, before any of it was applied
    expect(sent(happen('B', { action: 'PUT', json: ada }, afterOrder))).toEqual([]);
  });

  it('new values of an adaptor bring it back, at that adaptor too', () => {
    const { happen, sent, deletion } = deletedByA(domainType);
    const outcome = happen('B', { action: 'PUT', json: { ...ada, note: 'still here' } }, afterOrder);
    expect(sent(outcome)).toEqual([
      'A POST {"id":1,"name":"Ada","note":"still here"}',
      'B POST {"id":1,"name":"Ada","note":"still here"}',
    ]);
    expect(outcome.event?.action).toBe('POST');
    expect(outcome.event?.overrides).toEqual([{ eventUuid: deletion.event?.uuid, properties: [] }]);
    // the report of the DELETE, which B may have applied in between, does not delete it again, and is kept: a user may have
    // deleted it
    const late = happen('B', { action: 'DELETE', drKey: { id: 1 } }, { applied: 1, begun: 2 });
    expect([late.event?.action, late.event?.overriddenByUuid, late.change]).toEqual([
      'DELETE',
      outcome.event?.uuid,
      undefined,
    ]);
    expect(sent(late)).toEqual(['B POST {"id":1,"name":"Ada","note":"still here"}']);
  });

  it('the same content is new once the adaptor has seen the DELETE, or reported its own deletion', () => {
    const seen = deletedByA(domainType);
    expect(seen.happen('B', { action: 'POST', json: ada }, { applied: 2, begun: 2 }).event?.action).toBe('POST');
    const own = deletedByA(domainType);
    const deleted = own.happen('B', { action: 'DELETE', drKey: { id: 1 } }, afterOrder);
    expect([deleted.event?.recordUuid, deleted.deliveries, deleted.change]).toEqual([own.recordUuid, [], undefined]);
    expect(own.sent(own.happen('B', { action: 'POST', json: ada }, afterOrder))).toContain(
      'B POST {"id":1,"name":"Ada","note":"n"}',
    );
  });

  it('nothing is left once the adaptor reports the deletion of a record whose DELETE it had seen', () => {
    const { happen, book } = deletedByA(domainType);
    expect(book.removedLinks.changes().kept).toHaveLength(1);
    happen('B', { action: 'DELETE', drKey: { id: 1 } }, { applied: 2, begun: 2 });
    expect(book.removedLinks.changes().kept).toEqual([]);
  });

  it('a record that another adaptor creates again is not news of the earlier one', () => {
    const { happen, sent } = deletedByA(domainType);
    happen('A', { action: 'POST', json: { ...ada, name: 'Ada Lovelace' } });
    const late = happen('B', { action: 'PUT', json: ada }, afterOrder);
    expect(sent(late)).toEqual([]);
  });
});

describe('an adaptor that deletes what it was sent', () => {
  it('decides on it before its link is reported', () => {
    const { happen, sent } = createWorld({ adaptors: ['A', 'B'].map((name) => createAdaptor(name)) });
    happen('A', { action: 'POST', json: ada });
    expect(sent(happen('B', { action: 'DELETE', drKey: { id: 1 } }, afterOrder))).toEqual(['A DELETE {}']);
  });

  it('reports other values that it had not begun to apply', () => {
    const { happen, sent } = createWorld({ adaptors: ['A', 'B'].map((name) => createAdaptor(name)) });
    happen('A', { action: 'POST', json: ada });
    const outcome = happen('B', { action: 'DELETE', drKey: { id: 1 } }, { applied: 0, begun: 0 });
    expect([outcome.event, sent(outcome)]).toEqual([undefined, []]);
  });

  it('has it again when it reports it, and may delete it again', () => {
    const { happen, sent, report } = createWorld({ adaptors: ['A', 'B'].map((name) => createAdaptor(name)) });
    const recordUuid = happen('A', { action: 'POST', json: ada }).event?.recordUuid ?? '';
    report('B', 'LINK', recordUuid);
    happen('A', { action: 'DELETE', drKey: { id: 1 } });
    happen('B', { action: 'PUT', json: ada }, { applied: 2, begun: 2 });
    happen('A', { action: 'PUT', json: { ...ada, note: 'm' } });
    const outcome = happen('B', { action: 'DELETE', drKey: { id: 1 } }, { applied: 2, begun: 2 });
    expect(sent(outcome)).toEqual(['A DELETE {}', 'B DELETE {}']);
  });
});

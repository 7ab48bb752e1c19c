import { describe, expect, it } from '@jest/globals';
import { createAdaptor, createWorld, denying, uuid } from '../../testing/event-world.js';
import { describeDryRun, type DryRunView } from './dry-run.js';

const everything: DryRunView = { tells: () => true, names: () => true };

describe('a dry-run', () => {
  it('shows the action of the event when the operational chain denies it', () => {
    const entry = {
      uuid: uuid(80),
      position: 0,
      sourceZoneUuid: null,
      sourceAdaptorUuid: null,
      domainVersionUuid: null,
      post: 'DENY',
      delete: null,
      active: true,
    } as const;
    const { happen } = createWorld({ operational: [entry] });
    const outcome = happen('A', { action: 'PUT', json: { id: 1, name: 'Ada' } });
    const change = { kind: 'RECORD_CHANGED', drUuid: undefined, match: { status: 'NEW' }, outcome } as const;
    const denied = { chain: 'OPERATIONAL', destinationAdaptorUuid: null };
    const shown = { action: 'POST', drUuid: null, matchStatus: 'PRESUMED_NEW', messages: [] };
    const whole = describeDryRun(change, everything);
    expect(whole).toMatchObject({ ...shown, denied: [{ ...denied, aclUuid: entry.uuid }] });
    expect(whole.acls).toMatchObject([{ chain: 'OPERATIONAL', aclUuid: entry.uuid, result: 'DENY' }]);
    expect(describeDryRun(change, { ...everything, names: () => false })).toEqual({
      ...shown,
      denied: [{ ...denied, aclUuid: null }],
      acls: [],
    });
  });

  it('shows the entry that removes everything that is new for a destination', () => {
    const [north, south] = [uuid(60), uuid(61)];
    const entry = denying({ zoneUuid: south, properties: ['note'], post: 'DENY', put: 'DENY' });
    const [a, b] = [createAdaptor('A', { zoneUuid: north }), createAdaptor('B', { zoneUuid: south })];
    const { book, happen, report } = createWorld({ adaptors: [a, b], acls: [entry] });
    const created = happen('A', { action: 'POST', json: { id: 1, name: 'Ada' } });
    const recordUuid = created.event?.recordUuid ?? '';
    report('B', 'LINK', recordUuid);
    const outcome = happen('A', { action: 'POST', json: { id: 1, name: 'Ada', note: 'new' } });
    const record = book.byUuid(recordUuid);
    if (record === undefined) throw new Error('no record');
    const change = {
      kind: 'RECORD_CHANGED',
      drUuid: undefined,
      match: { status: 'RESOLVED', record },
      outcome,
    } as const;
    expect(describeDryRun(change, everything)).toMatchObject({
      action: 'PUT',
      drUuid: recordUuid,
      matchStatus: 'RESOLVED',
      messages: [],
      denied: [{ chain: 'INBOUND', aclUuid: entry.uuid, destinationAdaptorUuid: b.uuid }],
    });
    const hidden = describeDryRun(change, { ...everything, tells: () => false });
    expect([hidden.denied, hidden.acls]).toEqual([[], []]);
  });
});

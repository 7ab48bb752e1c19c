import { describe, expect, it } from '@jest/globals';
import { createAdaptor, createWorld, denying, uuid } from '../../testing/event-world.js';

describe.each(['FEDERATED', 'SERVICE_DATA_STORE'] as const)('a change of a %s record', (domainType) => {
  const [north, south] = [uuid(60), uuid(61)];
  const denied = denying({ zoneUuid: south, properties: ['note'], post: 'DENY', put: 'DENY' });
  const start = () => {
    const adaptors = [createAdaptor('A', { zoneUuid: north }), createAdaptor('B', { zoneUuid: south })];
    const world = createWorld({ domainType, adaptors, acls: [denied] });
    const created = world.happen('A', { action: 'POST', json: { id: 1, name: 'Ada', note: 'old' } });
    expect(world.sent(created)).toEqual(['B POST {"id":1,"name":"Ada"}']);
    expect(created.event?.denied).toEqual([]);
    world.report('B', 'LINK', created.event?.recordUuid ?? '');
    return world;
  };

  it('is DENIED for a destination when an entry removes everything that is new', () => {
    const { happen, sent } = start();
    const changed = happen('A', { action: 'PUT', json: { id: 1, name: 'Ada', note: 'new' } });
    expect(sent(changed)).toEqual([]);
    expect(changed.event?.denied).toEqual([
      { adaptorUuid: createAdaptor('B').uuid, chain: 'INBOUND', aclUuid: denied.uuid },
    ]);
  });

  it('is not DENIED when something new remains', () => {
    const { happen, sent } = start();
    const changed = happen('A', { action: 'PUT', json: { id: 1, name: 'Eve', note: 'new' } });
    expect(sent(changed)).toHaveLength(1);
    expect(changed.event?.denied).toEqual([]);
  });

  it('is not DENIED when the removed property is not part of the change', () => {
    const { happen, sent } = start();
    const echo = happen('B', { action: 'PUT', json: { id: 1, name: 'Eve' } });
    expect(sent(echo)).toHaveLength(1);
    const repeated = happen('A', { action: 'PUT', json: { id: 1, name: 'Eve' } });
    expect(sent(repeated)).toEqual([]);
    expect(repeated.event?.denied ?? []).toEqual([]);
  });
});

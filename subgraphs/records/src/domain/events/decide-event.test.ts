import { describe, expect, it } from '@jest/globals';
import { parseJson } from '@fds/json';
import { createAdaptor, createWorld, denying, transactionUuid, uuid } from '../../testing/event-world.js';

const ada = { id: 1, name: 'Ada' };
const lovelace = { id: 1, name: 'Lovelace' };

describe('routing', () => {
  it('posts a new record to every other capable adaptor', () => {
    const { happen, sent } = createWorld();
    const outcome = happen('A', { action: 'PUT', json: ada });
    expect(sent(outcome)).toEqual(['B POST {"id":1,"name":"Ada"}', 'C POST {"id":1,"name":"Ada"}']);
    expect(outcome.event).toMatchObject({ action: 'POST', matchStatus: 'PRESUMED_NEW', transactionUuid });
    expect(outcome.change).toMatchObject({ action: 'POST', transactionUuid });
  });

  it('puts to adaptors that link the record and posts to the others', () => {
    const { happen, sent, report } = createWorld();
    const created = happen('A', { action: 'POST', json: ada });
    report('B', 'LINK', created.event?.recordUuid ?? '');
    expect(sent(happen('A', { action: 'POST', json: lovelace }))).toEqual([
      'B PUT {"id":1,"name":"Lovelace"}',
      'C POST {"id":1,"name":"Lovelace"}',
    ]);
  });

  it.each([
    [['PUT', 'DELETE'], []],
    [['POST'], ['B POST {"id":1,"name":"Ada"}']],
  ])('asks the capability of the destination: %j', (actions, expected) => {
    const { happen, sent } = createWorld({ adaptors: [createAdaptor('A'), createAdaptor('B', { actions })] });
    expect(sent(happen('A', { action: 'POST', json: ada }))).toEqual(expected);
  });

  it('refuses a source without the capability, and one that may not create', () => {
    const adaptors = [createAdaptor('A', { actions: ['GET'] }), createAdaptor('B', { actions: ['PUT'] })];
    const { happen } = createWorld({ adaptors });
    expect(happen('A', { action: 'POST', json: ada }).issue?.exception).toBe('OTHER');
    expect(happen('B', { action: 'POST', json: ada }).issue?.exception).toBe('OTHER');
    expect(happen('B', { action: 'DELETE', drKey: { id: 1 } }).issue?.exception).toBe('OTHER');
  });

  it('sends an adaptor nothing that it is known to have', () => {
    const { happen, sent } = createWorld();
    happen('A', { action: 'POST', json: ada });
    expect(sent(happen('B', { action: 'POST', json: ada }))).toEqual([]);
    expect(sent(happen('A', { action: 'PUT', json: ada }))).toEqual([]);
    expect(sent(happen('B', { action: 'PUT', json: { ...ada, note: 'n' } }))).toEqual([
      'A PUT {"id":1,"name":"Ada","note":"n"}',
      'C POST {"id":1,"name":"Ada","note":"n"}',
    ]);
  });

  it('does not replace a value that governance kept from the source, when the source repeats its own', () => {
    const acls = [denying({ properties: ['note'], post: 'DENY', put: 'DENY' })];
    const adaptors = [createAdaptor('A'), createAdaptor('B', { zoneUuid: uuid(60) })];
    const { happen, sent } = createWorld({ adaptors, acls });
    happen('B', { action: 'POST', json: { ...ada, note: 'of B' } });
    happen('A', { action: 'PUT', json: { ...ada, note: 'of A' } });
    const outcome = happen('B', { action: 'PUT', json: { ...lovelace, note: 'of B' } });
    expect(sent(outcome)).toEqual(['A POST {"id":1,"name":"Lovelace"}'.replace('POST', 'PUT')]);
  });

  it('routes no data of a discovery', () => {
    const { happen, sent } = createWorld();
    expect(sent(happen('A', { action: 'POST', json: ada, discovery: true }))).toEqual([]);
    expect(sent(happen('A', { action: 'POST', json: ada }))).toEqual([]);
  });
});

describe('matching', () => {
  it('follows the uuid that the adaptor names, and the new key with it', () => {
    const { happen, sent, book } = createWorld();
    const recordUuid = happen('A', { action: 'POST', json: ada }).event?.recordUuid ?? '';
    const outcome = happen('A', { action: 'PUT', drUuid: recordUuid, json: { id: 2, name: 'Ada' } });
    expect(outcome.event).toMatchObject({ recordUuid, matchStatus: 'RESOLVED', drKey: { id: 2 } });
    expect(sent(outcome)).toHaveLength(2);
    expect(book.byUuid(recordUuid)?.drKey).toEqual({ id: 2 });
    expect(happen('A', { action: 'POST', json: ada }).event?.matchStatus).toBe('PRESUMED_NEW');
  });

  it('raises an issue when the key of another of its records is taken', () => {
    const { happen } = createWorld();
    happen('A', { action: 'POST', json: { id: 2, name: 'Grace' } });
    const recordUuid = happen('A', { action: 'POST', json: ada }).event?.recordUuid ?? '';
    const { issue } = happen('A', { action: 'PUT', drUuid: recordUuid, json: { id: 2, name: 'Ada' } });
    expect(issue?.exception).toBe('MATCHING');
  });

  it('raises an issue when a link of one record and another record have the key', () => {
    const { happen, sent } = createWorld();
    const first = happen('A', { action: 'POST', json: ada }).event?.recordUuid ?? '';
    happen('C', { action: 'POST', json: ada });
    happen('A', { action: 'POST', json: { id: 2, name: 'Grace' } });
    happen('C', { action: 'PUT', drUuid: first, json: { id: 2, name: 'Ada' } });
    const outcome = happen('B', { action: 'POST', json: { id: 2, name: 'Grace' } });
    expect(outcome.issue).toMatchObject({ exception: 'MATCHING', matchStatus: 'AMBIGUOUS' });
    expect(sent(outcome)).toEqual([]);
  });
});

describe('deletion', () => {
  it('sends DELETE once to each adaptor that has the record or was sent it, and ends with the last link', () => {
    const { happen, sent, report, book } = createWorld();
    const recordUuid = happen('A', { action: 'POST', json: ada }).event?.recordUuid ?? '';
    report('B', 'LINK', recordUuid);
    expect(sent(happen('A', { action: 'DELETE', drKey: { id: 1 } }))).toEqual(['B DELETE {}', 'C DELETE {}']);
    expect(book.byUuid(recordUuid)).toBeDefined();
    const last = happen('B', { action: 'DELETE', drUuid: recordUuid });
    expect(sent(last)).toEqual([]);
    expect(last.change).toMatchObject({ action: 'DELETE', transactionUuid });
    expect(book.byUuid(recordUuid)).toBeUndefined();
  });

  it('ends with an UNLINK as well', () => {
    const { happen, report, book } = createWorld();
    const recordUuid = happen('A', { action: 'POST', json: ada }).event?.recordUuid ?? '';
    expect(report('A', 'UNLINK', recordUuid).change).toMatchObject({ action: 'DELETE', transactionUuid: undefined });
    expect(book.byUuid(recordUuid)).toBeUndefined();
  });

  it('changes nothing when the record is unknown', () => {
    expect(createWorld().happen('A', { action: 'DELETE', drKey: { id: 1 } })).toEqual({ deliveries: [] });
  });

  it('posts again to an adaptor that was told to delete', () => {
    const { happen, sent, report } = createWorld();
    const recordUuid = happen('A', { action: 'POST', json: ada }).event?.recordUuid ?? '';
    report('B', 'LINK', recordUuid);
    happen('A', { action: 'DELETE', drKey: { id: 1 } });
    expect(sent(happen('A', { action: 'POST', json: ada }))).toEqual([
      'B POST {"id":1,"name":"Ada"}',
      'C POST {"id":1,"name":"Ada"}',
    ]);
  });

  it('removes a data-store record at once', () => {
    const { happen, sent, book } = createWorld({ domainType: 'SERVICE_DATA_STORE' });
    const recordUuid = happen('A', { action: 'POST', json: ada }).event?.recordUuid ?? '';
    happen('B', { action: 'POST', json: ada });
    expect(sent(happen('A', { action: 'DELETE', drKey: { id: 1 } }))).toEqual(['B DELETE {}', 'C DELETE {}']);
    expect(book.byUuid(recordUuid)).toBeUndefined();
  });
});

describe('governance', () => {
  const adaptors = [createAdaptor('A'), createAdaptor('B', { zoneUuid: uuid(60) })];

  it('removes denied properties, and nulls a denied DR Key', () => {
    const acls = [denying({ properties: ['id'], post: 'DENY' })];
    const { happen, sent } = createWorld({ adaptors, acls });
    const outcome = happen('A', { action: 'POST', json: ada });
    expect(sent(outcome)).toEqual(['B POST {"name":"Ada"}']);
    expect(outcome.deliveries[0]?.removedProperties).toEqual(['id']);
    expect(parseJson(outcome.deliveries[0]?.message ?? '')).toMatchObject({ drKey: '[null]' });
  });

  it('does not send a change of properties that the destination may not see', () => {
    const acls = [denying({ properties: ['name'], post: 'DENY', put: 'DENY' })];
    const { happen, sent } = createWorld({ adaptors, acls });
    happen('A', { action: 'POST', json: ada });
    expect(sent(happen('A', { action: 'POST', json: lovelace }))).toEqual([]);
  });

  it('notes who was denied and by which entry', () => {
    const { happen } = createWorld({ adaptors, acls: [denying({ post: 'DENY' })] });
    const outcome = happen('A', { action: 'POST', json: ada });
    expect(outcome.deliveries).toEqual([]);
    expect(outcome.event?.denied).toEqual([{ adaptorUuid: adaptors[1]?.uuid, chain: 'INBOUND', aclUuid: uuid(70) }]);
  });
});

describe('issues', () => {
  it('keep an event that is not valid, with every cause and its key', () => {
    const { happen, version } = createWorld();
    const { issue } = happen('A', { action: 'POST', json: { id: 1, name: 5 } });
    expect(issue).toMatchObject({
      exception: 'PARSING',
      keyDigest: version.model.keyDigest({ id: 1 }),
      errors: [{ pointer: '/json/name' }],
    });
    expect(parseJson(issue?.dataEvent ?? '')).toMatchObject({ json: { id: 1, name: 5 } });
  });

  it.each([{ jsonData: '[1]' }, { jsonData: '{' }, { json: {} }, { json: { id: 'x', name: 'n' } }])(
    'are raised for %j',
    (content) => {
      expect(createWorld().happen('A', { action: 'POST', ...content }).issue?.exception).toBe('PARSING');
    },
  );

  it('park later events of the key from the adaptor, and no others', () => {
    const { happen, parked, requireAdaptor, version, sent } = createWorld();
    parked.add(`${requireAdaptor('A').uuid}:${version.model.keyDigest({ id: 1 })}`);
    expect(happen('A', { action: 'POST', json: ada }).issue?.keyDigest).toBeDefined();
    expect(sent(happen('A', { action: 'POST', json: { id: 2, name: 'Grace' } }))).toHaveLength(2);
    expect(sent(happen('B', { action: 'POST', json: ada }))).toHaveLength(2);
  });
});

describe('data-store records', () => {
  it('merge: absent means unchanged, null is a value; an adaptor that has the record gets the change, others the whole record', () => {
    const { happen, sent } = createWorld({ domainType: 'SERVICE_DATA_STORE' });
    const created = happen('A', { action: 'POST', json: { ...ada, note: 'n' } });
    happen('B', { action: 'POST', json: ada });
    const outcome = happen('B', { action: 'PUT', json: { id: 1, name: 'Grace' } });
    expect(outcome.event?.recordUuid).toBe(created.event?.recordUuid);
    expect(sent(outcome).map((line) => line.slice(0, 5))).toEqual(['A PUT', 'C POS']);
    expect(parseJson(sent(outcome)[0]?.slice(6) ?? '')).toEqual({ id: 1, name: 'Grace' });
    expect(parseJson(sent(outcome)[1]?.slice(7) ?? '')).toEqual({ id: 1, name: 'Grace', note: 'n' });
  });

  it('are validated as a whole', () => {
    const { happen } = createWorld({ domainType: 'SERVICE_DATA_STORE' });
    expect(happen('A', { action: 'POST', json: { id: 1 } }).issue?.exception).toBe('PARSING');
    happen('A', { action: 'POST', json: ada });
    expect(happen('A', { action: 'PUT', json: { id: 1, note: 'x' } }).event?.action).toBe('PUT');
  });
});

import { describe, expect, it } from '@jest/globals';
import { createAdaptor, createWorld, transactionUuid } from '../../testing/event-world.js';
import type { AdaptorView, DomainVersionView } from '../catalog.js';
import type { EventOutcome } from './event-outcome.js';

const types = ['FEDERATED', 'SERVICE_DATA_STORE'] as const;

type Changeable = { -readonly [Member in keyof AdaptorView]: AdaptorView[Member] };

/** A world of A, and of B, which is in discovery mode. */
const discovering = (domainType: DomainVersionView['domainType'], acknowledged: boolean) => {
  const second: Changeable = createAdaptor('B', { discoveryMode: true });
  return { second, ...createWorld({ domainType, acknowledged, adaptors: [createAdaptor('A'), second] }) };
};

/** A holds the record with newer values. B joins with old values: another name, and no note. */
const join = (domainType: DomainVersionView['domainType']) => {
  const world = discovering(domainType, true);
  const { happen, book, second } = world;
  const newer = { id: 1, name: 'Ada', note: 'new' };
  const { capabilities } = second;
  second.capabilities = new Set();
  const recordUuid = happen('A', { action: 'POST', json: newer }).event?.recordUuid ?? '';
  second.capabilities = capabilities;
  const older = { id: 1, name: 'Old', note: null };
  const discover = (json: Record<string, string | number | null> = older): EventOutcome =>
    happen('B', { action: 'POST', json });
  /** B discovers its old values, and discovery mode ends. */
  const finish = (): void => {
    discover();
    second.discoveryMode = false;
  };
  const linked = (): string[] => [...(book.byUuid(recordUuid)?.links.keys() ?? [])];
  return { ...world, recordUuid, newer, discover, finish, linked };
};

describe.each(types)('discovery of a record of a %s version', (domainType) => {
  it('links the record, keeps its content, and routes nothing', () => {
    const { discover, linked, sent, book, recordUuid, newer, requireAdaptor } = join(domainType);
    const outcome = discover();
    expect(sent(outcome)).toEqual([]);
    expect(outcome).toMatchObject({ event: { recordUuid, action: 'PUT', matchStatus: 'RESOLVED' } });
    expect(linked()).toEqual([requireAdaptor('A').uuid, requireAdaptor('B').uuid]);
    expect(book.byUuid(recordUuid)?.json ?? newer).toEqual(newer);
  });

  it('says nothing twice', () => {
    const { discover } = join(domainType);
    discover();
    expect(discover()).toMatchObject({ deliveries: [], repeated: { repairs: false } });
  });

  it('creates and links an unknown record', () => {
    const { discover, sent, book } = join(domainType);
    const outcome = discover({ id: 2, name: 'Only here' });
    expect(sent(outcome)).toEqual([]);
    expect(outcome.event).toMatchObject({ action: 'POST', matchStatus: 'PRESUMED_NEW' });
    expect(book.byUuid(outcome.event?.recordUuid ?? '')?.links.size).toBe(1);
  });

  it('sends the new adaptor only the later changes of others', () => {
    const { finish, happen, changed } = join(domainType);
    finish();
    expect(changed(happen('A', { action: 'PUT', json: { id: 1, name: 'Ada', note: 'newer' } }))).toEqual([
      'B PUT note',
    ]);
  });

  it('routes only the later changes of the new adaptor: neither its old values nor its nulls', () => {
    const { finish, happen, sent, changed, book, recordUuid } = join(domainType);
    finish();
    const edit = happen('B', { action: 'PUT', json: { id: 1, name: 'Old', note: 'mine' } });
    expect(changed(edit)).toEqual(['A PUT note']);
    const [message = ''] = sent(edit);
    expect(message).not.toContain('Old');
    expect(book.byUuid(recordUuid)?.json ?? { id: 1, name: 'Ada', note: 'mine' }).toEqual({
      id: 1,
      name: 'Ada',
      note: 'mine',
    });
  });

  it('takes a value that the new adaptor changes to the one of the others', () => {
    const { finish, happen, sent } = join(domainType);
    finish();
    expect(sent(happen('B', { action: 'PUT', json: { id: 1, name: 'Ada', note: null } }))).toEqual([]);
    // from then on both have it
    expect(sent(happen('B', { action: 'PUT', json: { id: 1, name: 'Eve', note: null } }))).toHaveLength(1);
  });

  it('knows the values after a change in discovery mode', () => {
    const { discover, happen, sent, second } = join(domainType);
    discover();
    expect(sent(discover({ id: 1, name: 'Older', note: null }))).toEqual([]);
    second.discoveryMode = false;
    expect(sent(happen('B', { action: 'PUT', json: { id: 1, name: 'Older', note: null } }))).toEqual([]);
  });

  it('unlinks a record that the new adaptor deletes, and deletes it nowhere', () => {
    const { discover, happen, sent, linked, requireAdaptor, recordUuid, book } = join(domainType);
    discover();
    const outcome = happen('B', { action: 'DELETE', drKey: { id: 1 } });
    expect(sent(outcome)).toEqual([]);
    expect(outcome.event?.action).toBe('DELETE');
    expect(linked()).toEqual([requireAdaptor('A').uuid]);
    expect(book.byUuid(recordUuid)).toBeDefined();
    // it no longer links the record
    expect(happen('B', { action: 'DELETE', drKey: { id: 1 } })).toEqual({ deliveries: [] });
    expect(book.byUuid(recordUuid)).toBeDefined();
  });

  it('sends the new adaptor no record that it may have, until it reports it', () => {
    const { discover, happen, sent } = join(domainType);
    const edit = { id: 1, name: 'Ada', note: 'newer' };
    expect(sent(happen('A', { action: 'PUT', json: edit }))).toEqual([]);
    // a record that is new to all is none that its scan has read
    expect(sent(happen('A', { action: 'POST', json: { id: 3, name: 'New' } }))).toEqual([
      'B POST {"id":3,"name":"New"}',
    ]);
    discover();
    expect(sent(happen('A', { action: 'PUT', json: { ...edit, note: 'newest' } }))).toHaveLength(1);
  });
});

describe.each(types)('discovery of a record of a %s version that crosses a message', (domainType) => {
  /** B is sent the record as new, while its system has the record too. */
  const cross = () => {
    const world = discovering(domainType, false);
    const { happen, sent } = world;
    const created = happen('A', { action: 'POST', json: { id: 1, name: 'Ada', note: 'new' } });
    expect(sent(created)).toHaveLength(1);
    const [sequence = 0] = created.deliveries.map((delivery) => delivery.sequence);
    const older = { id: 1, name: 'Old', note: 'old' };
    return { ...world, sequence, older };
  };

  it('knows the values of a message that the adaptor had not begun', () => {
    const { happen, sent, sequence, older, second } = cross();
    happen('B', { action: 'POST', json: older }, { applied: sequence - 1, begun: sequence - 1 });
    second.discoveryMode = false;
    // the message has replaced its values
    expect(sent(happen('B', { action: 'PUT', json: { ...older, name: 'Ada', note: 'new' } }))).toEqual([]);
  });

  it('knows the values that the adaptor has kept against a message', () => {
    const { happen, sent, changed, sequence, older, second } = cross();
    happen('B', { action: 'POST', json: older }, { applied: sequence - 1, begun: sequence });
    second.discoveryMode = false;
    expect(sent(happen('B', { action: 'PUT', json: older }))).toEqual([]);
    expect(changed(happen('B', { action: 'PUT', json: { ...older, note: 'mine' } }))).toEqual(['A PUT note']);
    expect(changed(happen('A', { action: 'PUT', json: { id: 1, name: 'Ada', note: 'latest' } }))).toEqual([
      'B PUT note',
    ]);
  });

  it('lets a DELETE on its way to the adaptor take effect', () => {
    const { happen, report, sequence, older, book } = cross();
    const before = { applied: sequence - 1, begun: sequence - 1 };
    happen('B', { action: 'POST', json: older }, before);
    const deletion = happen('A', { action: 'DELETE', drKey: { id: 1 } });
    expect(deletion.deliveries.map(({ action }) => action)).toEqual(['DELETE']);
    const drUuid = deletion.event?.recordUuid ?? '';
    expect(happen('B', { action: 'POST', json: older }, before).deliveries).toEqual([]);
    report('B', 'UNLINK', drUuid);
    expect(book.byUuid(drUuid)).toBeUndefined();
  });
});

it('follows the mark of an event, and names the transaction in the history', () => {
  const { happen } = createWorld();
  expect(happen('A', { action: 'POST', json: { id: 1, name: 'Ada' }, discovery: true }).event).toMatchObject({
    transactionUuid,
    denied: [],
  });
});

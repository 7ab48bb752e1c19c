import { describe, expect, it } from '@jest/globals';
import { compileChains, type AclEntry } from '@fds/governance-rules';
import { isJsonObject, parseJson } from '@fds/json';
import { compileModelSchema } from '@fds/model-schema';
import { capabilityKey, type AdaptorView, type DomainVersionView } from '../catalog.js';
import { RecordBook, type LinkState, type RecordState } from '../records/record-book.js';
import { contentOf } from './content-hashes.js';
import { overlay } from './known-content.js';
import { Outbox } from './outbox.js';
import { planRedelivery, type FailedMessage } from './plan-redelivery.js';
import { noteSent } from './sent-notes.js';

const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const [versionUuid, destinationUuid, drUuid, zoneUuid] = [uuid(1), uuid(2), uuid(3), uuid(4)];

const { model } = compileModelSchema({
  modelSchema: { properties: { id: { type: 'integer' }, town: { type: 'string' }, name: { type: 'string' } } },
  drKeyProperties: ['id', 'town'],
});
if (model === undefined) throw new TypeError('the model does not compile');
const version: DomainVersionView = {
  uuid: versionUuid,
  domainUuid: uuid(5),
  domainName: 'Customer',
  domainType: 'FEDERATED',
  versionNumber: 1,
  zoneUuid,
  revision: '1.1',
  active: true,
  model,
};

const adaptorWith = (options: Partial<AdaptorView>): AdaptorView => ({
  uuid: destinationUuid,
  name: 'destination',
  zoneUuid,
  active: true,
  state: 'STARTED',
  discoveryMode: false,
  capabilities: new Set(['POST', 'PUT', 'DELETE'].map((action) => capabilityKey('Customer', 1, action))),
  ...options,
});

const denying = (properties: readonly string[]): AclEntry => ({
  uuid: uuid(70),
  zoneUuid,
  chain: 'INBOUND',
  position: 0,
  sourceZoneUuid: null,
  sourceAdaptorUuid: null,
  destinationZoneUuid: null,
  destinationAdaptorUuid: null,
  domainVersionUuid: null,
  properties: [...properties],
  get: null,
  post: 'DENY',
  put: 'DENY',
  delete: 'DENY',
  active: true,
});

const recordWith = (...linked: readonly string[]): RecordState => ({
  uuid: drUuid,
  domainVersionUuid: versionUuid,
  keyDigest: '00',
  drKey: {},
  json: null,
  createdByUuid: null,
  links: new Map(linked.map((adaptorUuid) => [adaptorUuid, { adaptorUuid } as LinkState])),
  expected: new Map(),
});

const failed = (action: FailedMessage['action']): FailedMessage => ({
  sequence: 17,
  eventUuid: uuid(6),
  recordUuid: drUuid,
  action,
  removedProperties: ['phone'],
  isSuperseded: false,
  data: { action, drUuid, drKey: '[7,"Oslo"]', jsonData: '{"id":9223372036854775807,"town":"Oslo","name":"Ada"}' },
});

const contextOf = (acls: readonly AclEntry[], record?: RecordState) => ({
  governance: compileChains(acls),
  book: new RecordBook(record === undefined ? [] : [record]),
  outbox: new Outbox(() => ({ downSequence: 20, downAcked: 18 })),
});

const plan = (
  action: FailedMessage['action'],
  {
    acls = [],
    record = recordWith(),
    destination = adaptorWith({}),
  }: { acls?: readonly AclEntry[]; record?: RecordState | undefined; destination?: AdaptorView } = {},
) => {
  const source = { uuid: uuid(8), zoneUuid: uuid(9) };
  const place = { source, destination, version, record };
  const planned = planRedelivery(contextOf(acls, record), failed(action), place);
  if ('refusal' in planned) return planned.refusal;
  expect(planned.delivery.sequence).toBe(21);
  const data = parseJson(planned.delivery.message);
  if (!isJsonObject(data)) throw new TypeError('a message is an object');
  const { removedProperties } = planned.delivery;
  return [planned.delivery.action, data['action'], data['drKey'], data['jsonData'], removedProperties];
};

describe('a failed message', () => {
  const whole = '{"id":9223372036854775807,"town":"Oslo","name":"Ada"}';

  it('is sent unchanged, with every digit', () => {
    expect(plan('POST')).toEqual(['POST', 'POST', '[7,"Oslo"]', whole, ['phone']]);
    expect(plan('DELETE').slice(0, 3)).toEqual(['DELETE', 'DELETE', '[7,"Oslo"]']);
  });

  it('names as changed what it changed at first, and everything of a POST', () => {
    const changedOf = (action: FailedMessage['action'], changed?: readonly string[]) => {
      const record = recordWith(...(action === 'PUT' ? [destinationUuid] : []));
      const message = failed(action);
      const data = changed === undefined ? message.data : { ...message.data, changed: [...changed] };
      const source = { uuid: null, zoneUuid: uuid(9) };
      const place = { source, destination: adaptorWith({}), version, record };
      const planned = planRedelivery(contextOf([denying(['town'])], record), { ...message, data }, place);
      if ('refusal' in planned) return planned.refusal;
      return (parseJson(planned.delivery.message) as { changed?: unknown }).changed;
    };
    expect(changedOf('PUT', ['name', 'town'])).toEqual(['name']);
    // an older server did not write it
    expect(changedOf('PUT')).toEqual(['id', 'name']);
    expect(changedOf('POST', ['name'])).toEqual(['id', 'name']);
    expect(changedOf('DELETE')).toBeUndefined();
  });

  it('changes a record that the adaptor has created itself since then', () => {
    expect(plan('POST', { record: recordWith(destinationUuid) }).slice(0, 2)).toEqual(['PUT', 'PUT']);
    expect(plan('PUT', { record: recordWith(destinationUuid) }).slice(0, 2)).toEqual(['PUT', 'PUT']);
  });

  it('holds no more than governance lets the adaptor have now', () => {
    expect(plan('POST', { acls: [denying(['town'])] })).toEqual([
      'POST',
      'POST',
      '[7,null]',
      '{"id":9223372036854775807,"name":"Ada"}',
      ['phone', 'town'],
    ]);
    expect(plan('POST', { acls: [denying([])] })).toBe('governance no longer allows it to the adaptor');
  });

  it('is not sent to an adaptor that cannot have it', () => {
    expect(plan('PUT')).toBe('the adaptor no longer has the record');
    expect(plan('POST', { destination: adaptorWith({ active: false }) })).toBe('the adaptor is not active');
    expect(plan('POST', { destination: adaptorWith({ capabilities: new Set() }) })).toBe(
      'the adaptor is not capable of POST',
    );
  });

  it('for a record that is gone is sent only as a deletion', () => {
    const planOf = (action: FailedMessage['action']) => {
      const source = { uuid: null, zoneUuid };
      const place = { source, destination: adaptorWith({}), version, record: undefined };
      return planRedelivery(contextOf([]), failed(action), place);
    };
    expect(planOf('POST')).toEqual({ refusal: 'the record is gone' });
    expect(planOf('DELETE')).toMatchObject({ delivery: { action: 'DELETE' } });
  });

  it('is noted with the destination’s content before its first attempt', () => {
    const note = { kind: 'CHANGE', before: { name: 'hash of Eve' } } as const;
    const known = noteSent(overlay(undefined, contentOf({ name: 'Ada' })), { ...note, sequence: 17 }, 16);
    const record = recordWith();
    record.expected.set(destinationUuid, known);
    plan('POST', { record });
    expect(record.expected.get(destinationUuid)?.sent).toMatchObject([
      { ...note, sequence: 17 },
      { ...note, sequence: 21 },
    ]);
  });
});

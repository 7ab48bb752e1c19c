import { describe, expect, it } from '@jest/globals';
import type { AclEntry } from './acl-entry.js';
import { compileChains } from './compile-chains.js';
import type { Message } from './message.js';

const entry = (parts: Partial<AclEntry>): AclEntry => ({
  uuid: 'acl',
  zoneUuid: 'north',
  chain: 'OUTBOUND',
  position: 0,
  sourceZoneUuid: null,
  sourceAdaptorUuid: null,
  destinationZoneUuid: null,
  destinationAdaptorUuid: null,
  domainVersionUuid: null,
  properties: [],
  get: null,
  post: null,
  put: null,
  delete: null,
  active: true,
  ...parts,
});

const message = (parts: Partial<Message> = {}): Message => ({
  action: 'POST',
  sourceZoneUuid: 'north',
  sourceAdaptorUuid: 'crm',
  destinationZoneUuid: 'south',
  destinationAdaptorUuid: 'erp',
  domainVersionUuid: 'customer-1',
  drUuid: 'record-1',
  properties: ['id', 'name', 'email'],
  ...parts,
});

const denyPost = (parts: Partial<AclEntry> = {}) => entry({ post: 'DENY', ...parts });
const inbound = { chain: 'INBOUND', zoneUuid: 'south' } as const;

describe('without an entry that covers it', () => {
  it.each<[string, AclEntry[]]>([
    ['no entry', []],
    ['an entry for another action', [entry({ put: 'DENY' })]],
    ['an inactive entry', [denyPost({ active: false })]],
    ['an entry of another zone', [denyPost({ zoneUuid: 'west' })]],
    ['an inbound entry of the source zone', [denyPost({ chain: 'INBOUND' })]],
    ['an entry for another destination zone', [denyPost({ destinationZoneUuid: 'west' })]],
    ['an entry for another source adaptor', [denyPost({ sourceAdaptorUuid: 'erp' })]],
    ['an entry for another destination adaptor', [denyPost({ destinationAdaptorUuid: 'crm' })]],
    ['an entry for another domain version', [denyPost({ domainVersionUuid: 'customer-2' })]],
    ['an entry for other records', [denyPost({ drUuids: ['record-2', 'record-3'] })]],
  ])('a message is allowed: %s', (_name, entries) => {
    expect(compileChains(entries).decide(message())).toEqual({
      outcome: 'ALLOWED',
      removedProperties: [],
      applied: [],
      byDefault: ['OUTBOUND', 'INBOUND'],
    });
  });
});

describe('an entry that matches', () => {
  it.each<[string, AclEntry]>([
    ['null selectors', denyPost()],
    ['its destination zone', denyPost({ destinationZoneUuid: 'south' })],
    ['both adaptors', denyPost({ sourceAdaptorUuid: 'crm', destinationAdaptorUuid: 'erp' })],
    ['the domain version', denyPost({ domainVersionUuid: 'customer-1' })],
    ['the record, among others', denyPost({ drUuids: ['record-2', 'record-1', 'record-1'] })],
    ['an empty list of records', denyPost({ drUuids: [] })],
    ['the inbound chain', denyPost({ ...inbound })],
    ['the inbound chain by source zone', denyPost({ ...inbound, sourceZoneUuid: 'north' })],
  ])('denies by %s', (_name, denial) => {
    const applied = {
      chain: denial.chain,
      aclUuid: 'acl',
      position: 0,
      result: 'DENY',
      properties: ['id', 'name', 'email'],
    };
    expect(compileChains([denial]).decide(message())).toEqual({
      outcome: 'DENIED',
      removedProperties: ['id', 'name', 'email'],
      applied: [applied],
      byDefault: denial.chain === 'INBOUND' ? ['OUTBOUND'] : [],
      deniedBy: applied,
    });
  });

  it('does not match what it names and the message lacks', () => {
    const rules = compileChains([denyPost({ destinationAdaptorUuid: 'erp' }), denyPost({ drUuids: ['record-1'] })]);
    const unknown = message({ destinationAdaptorUuid: undefined, drUuid: undefined });
    expect(rules.decide(unknown).outcome).toBe('ALLOWED');
  });
});

describe('a chain', () => {
  it('is decided by its first entry that covers the action, in any order of the input', () => {
    const rules = compileChains([
      denyPost({ uuid: 'third', position: 7 }),
      entry({ uuid: 'second', position: 3, post: 'ALLOW', domainVersionUuid: 'customer-1' }),
      entry({ uuid: 'first', position: 1, put: 'DENY' }),
    ]);
    const decision = rules.decide(message());
    expect(decision.outcome).toBe('ALLOWED');
    expect(decision.applied.map((each) => [each.aclUuid, each.position])).toEqual([['second', 3]]);
  });

  it('is decided separately for each property', () => {
    const rules = compileChains([
      entry({ uuid: 'allow-name', position: 0, post: 'ALLOW', properties: ['name', 'unheard-of'] }),
      denyPost({ uuid: 'deny-some', position: 1, properties: ['name', 'email'] }),
      entry({ uuid: 'allow-rest', position: 2, post: 'ALLOW' }),
      denyPost({ uuid: 'never', position: 3 }),
    ]);
    expect(rules.decide(message())).toEqual({
      outcome: 'ALLOWED',
      removedProperties: ['email'],
      applied: [
        { chain: 'OUTBOUND', aclUuid: 'allow-name', position: 0, result: 'ALLOW', properties: ['name'] },
        { chain: 'OUTBOUND', aclUuid: 'deny-some', position: 1, result: 'DENY', properties: ['email'] },
        { chain: 'OUTBOUND', aclUuid: 'allow-rest', position: 2, result: 'ALLOW', properties: ['id'] },
      ],
      byDefault: ['INBOUND'],
    });
  });

  it('denies a message with no property left, by the entry that took the last one', () => {
    const decision = compileChains([
      denyPost({ uuid: 'outbound', properties: ['id', 'name'] }),
      denyPost({ uuid: 'inbound', ...inbound, properties: ['email'] }),
    ]).decide(message());
    expect(decision).toMatchObject({ outcome: 'DENIED', deniedBy: { aclUuid: 'inbound', chain: 'INBOUND' } });
    expect(decision.removedProperties).toEqual(['id', 'name', 'email']);
  });

  it('at the destination decides only on the part that the source allows', () => {
    const decision = compileChains([
      denyPost({ uuid: 'outbound', properties: ['email'] }),
      denyPost({ uuid: 'inbound', ...inbound, properties: ['email', 'name'] }),
    ]).decide(message());
    expect(decision.applied.map((each) => [each.aclUuid, each.properties])).toEqual([
      ['outbound', ['email']],
      ['inbound', ['name']],
    ]);
  });
});

describe('a deletion', () => {
  const deletion = message({ action: 'DELETE' });

  it('is not covered by an entry with properties', () => {
    const rules = compileChains([entry({ delete: 'DENY', properties: ['id', 'name', 'email'] })]);
    expect(rules.decide(deletion).outcome).toBe('ALLOWED');
  });

  it('is decided as a whole', () => {
    expect(compileChains([entry({ delete: 'DENY' })]).decide(deletion).outcome).toBe('DENIED');
    const allowed = compileChains([entry({ delete: 'ALLOW' })]).decide(deletion);
    expect(allowed).toMatchObject({ outcome: 'ALLOWED', removedProperties: [] });
  });
});

describe('within a zone', () => {
  const inside = message({ destinationZoneUuid: 'north' });

  it('a null zone selector does not count: it means every other zone', () => {
    const entries = [denyPost(), denyPost({ chain: 'INBOUND' }), denyPost({ sourceZoneUuid: 'north', position: 1 })];
    expect(compileChains(entries).decide(inside).outcome).toBe('ALLOWED');
  });

  it('an entry that names the zone on both sides governs', () => {
    const outbound = denyPost({ sourceZoneUuid: 'north', destinationZoneUuid: 'north' });
    expect(compileChains([outbound]).decide(inside).outcome).toBe('DENIED');
    expect(compileChains([{ ...outbound, chain: 'INBOUND' }]).decide(inside).outcome).toBe('DENIED');
    expect(compileChains([outbound]).decide(message()).outcome).toBe('ALLOWED');
  });
});

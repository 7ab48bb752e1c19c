import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AclAction, AclEffect, AclEntry } from './acl-entry.js';
import { compileChains } from './compile-chains.js';
import type { Message } from './message.js';

const zones = ['north', 'south', 'west'];
const properties = ['id', 'name', 'email'];
const effect = fc.constantFrom<(AclEffect | null)[]>('ALLOW', 'DENY', null);
const anyOf = (...names: string[]) => fc.constantFrom(null, ...names);

const arbitraryEntries: fc.Arbitrary<AclEntry[]> = fc
  .array(
    fc.record({
      zoneUuid: fc.constantFrom(...zones),
      chain: fc.constantFrom('INBOUND' as const, 'OUTBOUND' as const),
      sourceZoneUuid: anyOf(...zones),
      sourceAdaptorUuid: anyOf('crm', 'erp'),
      destinationZoneUuid: anyOf(...zones),
      destinationAdaptorUuid: anyOf('crm', 'erp'),
      domainVersionUuid: anyOf('v1', 'v2'),
      properties: fc.subarray(properties),
      get: effect,
      post: effect,
      put: effect,
      delete: effect,
      active: fc.boolean(),
      drUuids: fc.subarray(['r1', 'r2']),
    }),
    { maxLength: 30 },
  )
  .map((entries) => entries.map((entry, index) => ({ ...entry, uuid: `acl-${index}`, position: index })))
  // the order in which entries come must not matter
  .chain((entries) => fc.shuffledSubarray(entries, { minLength: entries.length }));

const arbitraryMessage: fc.Arbitrary<Message> = fc.record({
  action: fc.constantFrom<AclAction[]>('GET', 'POST', 'PUT', 'DELETE'),
  sourceZoneUuid: fc.constantFrom(...zones),
  sourceAdaptorUuid: fc.constantFrom('crm', 'erp', undefined),
  destinationZoneUuid: fc.constantFrom(...zones),
  destinationAdaptorUuid: fc.constantFrom('crm', 'erp', undefined),
  domainVersionUuid: fc.constantFrom('v1', 'v2'),
  drUuid: fc.constantFrom('r1', 'r2', undefined),
  properties: fc.subarray(properties),
});

/** Decisions section 9, sentence by sentence, without an index. */
const matches = (entry: AclEntry, message: Message): boolean => {
  const [otherSelector, otherZone] =
    entry.chain === 'OUTBOUND'
      ? [entry.destinationZoneUuid, message.destinationZoneUuid]
      : [entry.sourceZoneUuid, message.sourceZoneUuid];
  return (
    entry.active &&
    entry.zoneUuid === (entry.chain === 'OUTBOUND' ? message.sourceZoneUuid : message.destinationZoneUuid) &&
    (otherSelector === null ? otherZone !== entry.zoneUuid : otherSelector === otherZone) &&
    [null, message.sourceAdaptorUuid].includes(entry.sourceAdaptorUuid) &&
    [null, message.destinationAdaptorUuid].includes(entry.destinationAdaptorUuid) &&
    [null, message.domainVersionUuid].includes(entry.domainVersionUuid) &&
    (entry.drUuids?.length === 0 || (message.drUuid !== undefined && entry.drUuids?.includes(message.drUuid) === true))
  );
};

const speaks = (entry: AclEntry, action: AclAction): AclEffect | null => {
  if (action === 'DELETE' && entry.properties.length > 0) return null;
  return { GET: entry.get, POST: entry.post, PUT: entry.put, DELETE: entry.delete }[action];
};

/** Effect of one chain on one property, or on the message as a whole. */
const effectOn = (
  entries: readonly AclEntry[],
  chain: AclEntry['chain'],
  message: Message,
  property: string | undefined,
): AclEffect => {
  const deciding = entries
    .filter((entry) => entry.chain === chain && matches(entry, message) && speaks(entry, message.action) !== null)
    .filter((entry) => entry.properties.length === 0 || (property !== undefined && entry.properties.includes(property)))
    .sort((a, b) => a.position - b.position)[0];
  return deciding === undefined ? 'ALLOW' : (speaks(deciding, message.action) ?? 'ALLOW');
};

const oracle = (entries: readonly AclEntry[], message: Message): { outcome: string; removedProperties: string[] } => {
  const isDenied = (property: string | undefined): boolean =>
    (['OUTBOUND', 'INBOUND'] as const).some((chain) => effectOn(entries, chain, message, property) === 'DENY');
  if (message.action === 'DELETE' || message.properties.length === 0) {
    const denied = isDenied(undefined);
    return { outcome: denied ? 'DENIED' : 'ALLOWED', removedProperties: denied ? [...message.properties] : [] };
  }
  const removedProperties = message.properties.filter(isDenied);
  return {
    outcome: removedProperties.length === message.properties.length ? 'DENIED' : 'ALLOWED',
    removedProperties,
  };
};

it('agrees with the chains read entry by entry', () => {
  fc.assert(
    fc.property(arbitraryEntries, arbitraryMessage, (entries, message) => {
      const decision = compileChains(entries).decide(message);
      expect({ outcome: decision.outcome, removedProperties: decision.removedProperties }).toEqual(
        oracle(entries, message),
      );
      for (const { aclUuid, result } of decision.applied) {
        const applied = entries.find((entry) => entry.uuid === aclUuid);
        expect(applied !== undefined && matches(applied, message)).toBe(true);
        expect(applied && speaks(applied, message.action)).toBe(result);
      }
      expect(decision.deniedBy?.result).toBe(decision.outcome === 'DENIED' ? 'DENY' : undefined);
    }),
    { numRuns: 3_000 },
  );
});

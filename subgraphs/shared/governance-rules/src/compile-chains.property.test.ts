import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AclAction, AclEffect, AclEntry } from './acl-entry.js';
import { compileChains } from './compile-chains.js';
import type { Message } from './message.js';
import { decideNaively, matches, speaks } from './testing/naive-chains.js';

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

it('agrees with the chains read entry by entry', () => {
  fc.assert(
    fc.property(arbitraryEntries, arbitraryMessage, (entries, message) => {
      const decision = compileChains(entries).decide(message);
      const { outcome, removedProperties, byDefault } = decision;
      expect({ outcome, removedProperties, byDefault }).toEqual(decideNaively(entries, message));
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

import { deepStrictEqual } from 'node:assert/strict';
import { expect, it } from '@jest/globals';
import { casesOf, createRandom, type Random } from '@fds/testing';
import type { AclAction, AclEffect, AclEntry } from './acl-entry.js';
import { compileChains } from './compile-chains.js';
import { compileOperationalChain } from './compile-operational-chain.js';
import { findMasks, findOperationalMasks } from './find-masks.js';
import type { Message } from './message.js';
import type { OperationalEntry } from './operational-entry.js';
import { decideNaively } from './testing/naive-chains.js';

/** The README has the command for a million. */
const cases = casesOf(40_000);
const seed = Number(process.env['FDS_TEST_SEED'] ?? 20_261_122);

const zones = ['north', 'south', 'west'];
const adaptors = ['crm', 'erp'];
const versions = ['v1', 'v2'];
const records = ['r1', 'r2'];
const properties = ['id', 'name', 'email'];
const effects: readonly (AclEffect | null)[] = ['ALLOW', 'DENY', null];

const randomEntry = ({ pick, some, below }: Random, position: number): AclEntry => ({
  uuid: `acl-${position}`,
  zoneUuid: pick(zones),
  chain: pick(['INBOUND', 'OUTBOUND'] as const),
  position,
  sourceZoneUuid: pick([null, null, ...zones]),
  sourceAdaptorUuid: pick([null, null, ...adaptors]),
  destinationZoneUuid: pick([null, null, ...zones]),
  destinationAdaptorUuid: pick([null, null, ...adaptors]),
  domainVersionUuid: pick([null, null, ...versions]),
  properties: below(2) === 0 ? [] : some([...properties, 'Name', 'EMAIL'], 0.4),
  get: pick(effects),
  post: pick(effects),
  put: pick(effects),
  delete: pick(effects),
  active: below(8) > 0,
  drUuids: below(3) > 0 ? [] : some(records, 0.4),
});

const randomMessage = ({ pick, some }: Random): Message => ({
  action: pick<AclAction>(['GET', 'POST', 'PUT', 'DELETE']),
  sourceZoneUuid: pick(zones),
  sourceAdaptorUuid: pick([...adaptors, undefined]),
  destinationZoneUuid: pick(zones),
  destinationAdaptorUuid: pick([...adaptors, undefined]),
  domainVersionUuid: pick(versions),
  drUuid: pick([...records, undefined]),
  properties: some(properties, 0.4),
});

const messagesPerChain = 50;

it('decides as the chains read entry by entry, and a masked entry never decides', () => {
  const random = createRandom(seed);
  let masked = 0;
  for (let done = 0; done < cases; done += messagesPerChain) {
    const entries = Array.from({ length: random.below(40) }, (_, position) => randomEntry(random, position));
    const rules = compileChains(entries);
    const neverDecide = new Set<string>();
    for (const zone of zones) {
      for (const chain of ['INBOUND', 'OUTBOUND'] as const) {
        const own = entries.filter((entry) => entry.zoneUuid === zone && entry.chain === chain);
        const masksOf = findMasks(own);
        for (const entry of own) if (masksOf(entry).length > 0) neverDecide.add(entry.uuid);
      }
    }
    masked += neverDecide.size;
    for (let message = 0; message < messagesPerChain; message += 1) {
      const asked = randomMessage(random);
      const { applied, deniedBy, ...decision } = rules.decide(asked);
      deepStrictEqual(decision, decideNaively(entries, asked), `seed ${seed}: ${JSON.stringify({ entries, asked })}`);
      if (applied.some(({ aclUuid }) => neverDecide.has(aclUuid))) {
        throw new Error(`a masked entry decided, seed ${seed}: ${JSON.stringify({ entries, asked, applied })}`);
      }
      if ((deniedBy === undefined) !== (decision.outcome === 'ALLOWED'))
        throw new Error('a decision and the chain that denied it differ');
    }
  }
  expect(masked).toBeGreaterThan(cases / 1000);
}, 300_000);

const randomOperational = ({ pick, below }: Random, position: number): OperationalEntry => ({
  uuid: `acl-${position}`,
  position,
  sourceZoneUuid: pick([null, ...zones]),
  sourceAdaptorUuid: pick([null, ...adaptors]),
  domainVersionUuid: pick([null, ...versions]),
  post: pick(effects),
  delete: pick(effects),
  active: below(8) > 0,
});

it('decides on operations as the chain read entry by entry', () => {
  const random = createRandom(seed + 1);
  for (let done = 0; done < cases; done += messagesPerChain) {
    const entries = Array.from({ length: random.below(15) }, (_, position) => randomOperational(random, position));
    const rules = compileOperationalChain(entries.toReversed());
    const masked = new Set(
      entries.filter((it) => findOperationalMasks(entries, it).length > 0).map(({ uuid }) => uuid),
    );
    for (let asked = 0; asked < messagesPerChain; asked += 1) {
      const operation = {
        action: random.pick(['POST', 'DELETE'] as const),
        sourceZoneUuid: random.pick(zones),
        sourceAdaptorUuid: random.pick(adaptors),
        domainVersionUuid: random.pick(versions),
      };
      const first = entries.find(
        (entry) =>
          entry.active &&
          (operation.action === 'POST' ? entry.post : entry.delete) !== null &&
          [null, operation.sourceZoneUuid].includes(entry.sourceZoneUuid) &&
          [null, operation.sourceAdaptorUuid].includes(entry.sourceAdaptorUuid) &&
          [null, operation.domainVersionUuid].includes(entry.domainVersionUuid),
      );
      const { outcome, applied } = rules.decide(operation);
      const denies = first !== undefined && (operation.action === 'POST' ? first.post : first.delete) === 'DENY';
      deepStrictEqual([applied?.aclUuid, outcome], [first?.uuid, denies ? 'DENIED' : 'ALLOWED']);
      if (first !== undefined && masked.has(first.uuid)) throw new Error('a masked entry decided');
    }
  }
}, 300_000);

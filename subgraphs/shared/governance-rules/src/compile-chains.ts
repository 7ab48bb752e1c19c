import { effectOf, type AclAction, type AclEntry, type Chain } from './acl-entry.js';
import { createChainIndex, type ChainIndex, type MatchingEntries } from './chain-index.js';
import type { AppliedAcl, Decision, Message } from './message.js';

/** The chains of all zones, compiled once per change and asked for every message. */
export interface GovernanceRules {
  /** Evaluates the source zone's outbound chain, then the destination zone's inbound chain on the rest. */
  decide(message: Message): Decision;
}

/** The decision of one chain on a message. */
interface ChainDecision {
  readonly remaining: readonly string[];
  readonly applied: readonly AppliedAcl[];
  /** The entry after which nothing was left. */
  readonly deniedBy?: AppliedAcl;
  /** No entry decided on some of it. */
  readonly isDefault: boolean;
}

const actions: readonly AclAction[] = ['GET', 'POST', 'PUT', 'DELETE'];

const chainKey = (zoneUuid: string, chain: Chain, action: AclAction): string => `${zoneUuid}|${chain}|${action}`;

const toApplied = (entry: AclEntry, action: AclAction, properties: readonly string[]): AppliedAcl => ({
  chain: entry.chain,
  aclUuid: entry.uuid,
  position: entry.position,
  result: effectOf(entry, action) ?? 'ALLOW',
  properties,
});

/** A deletion, or a message without properties: the first entry that covers the action for all properties decides. */
const decideWhole = (matching: MatchingEntries, action: AclAction, properties: readonly string[]): ChainDecision => {
  const entry = matching.decidesWhole();
  if (entry === undefined) return { remaining: properties, applied: [], isDefault: true };
  const applied = toApplied(entry, action, properties);
  return applied.result === 'DENY'
    ? { remaining: [], applied: [applied], deniedBy: applied, isDefault: false }
    : { remaining: properties, applied: [applied], isDefault: false };
};

/** The first entry that matches and covers the action decides, separately for each property. */
const decideProperties = (
  matching: MatchingEntries,
  action: AclAction,
  properties: readonly string[],
): ChainDecision => {
  const decided = new Map<AclEntry, string[]>();
  const remaining: string[] = [];
  let isDefault = false;
  for (const property of properties) {
    const entry = matching.decides(property);
    if (entry === undefined) {
      isDefault = true;
      remaining.push(property);
      continue;
    }
    const others = decided.get(entry);
    if (others === undefined) decided.set(entry, [property]);
    else others.push(property);
    if (effectOf(entry, action) !== 'DENY') remaining.push(property);
  }
  const applied = [...decided]
    .map(([entry, ofEntry]) => toApplied(entry, action, ofEntry))
    .sort((a, b) => a.position - b.position);
  const lastDenial = applied.findLast(({ result }) => result === 'DENY');
  return { remaining, applied, isDefault, ...(remaining.length === 0 && lastDenial ? { deniedBy: lastDenial } : {}) };
};

const decideChain = (index: ChainIndex | undefined, message: Message, properties: readonly string[]): ChainDecision => {
  if (index === undefined) return { remaining: properties, applied: [], isDefault: true };
  const matching = index.matching(message);
  return message.properties.length === 0 || message.action === 'DELETE'
    ? decideWhole(matching, message.action, properties)
    : decideProperties(matching, message.action, properties);
};

const toDecision = (
  properties: readonly string[],
  { remaining, applied, deniedBy }: Omit<ChainDecision, 'isDefault'>,
  byDefault: readonly Chain[],
): Decision => {
  const kept = new Set(remaining);
  return {
    outcome: deniedBy === undefined ? 'ALLOWED' : 'DENIED',
    removedProperties: properties.filter((property) => !kept.has(property)),
    applied,
    byDefault,
    ...(deniedBy === undefined ? {} : { deniedBy }),
  };
};

/**
 * Compiles the chains of all zones (docs/reference/governance.md#chains). No entry: allowed. Entries may come in any
 * order.
 * Compiling takes milliseconds for 10 000 entries, a decision microseconds.
 */
export const compileChains = (entries: Iterable<AclEntry>): GovernanceRules => {
  const chains = new Map<string, AclEntry[]>();
  for (const entry of entries) {
    if (!entry.active) continue;
    const key = `${entry.zoneUuid}|${entry.chain}`;
    const chain = chains.get(key);
    if (chain === undefined) chains.set(key, [entry]);
    else chain.push(entry);
  }
  const indexes = new Map<string, ChainIndex>();
  for (const chain of chains.values()) {
    chain.sort((a, b) => a.position - b.position);
    const { zoneUuid, chain: name } = chain[0] as AclEntry;
    for (const action of actions) indexes.set(chainKey(zoneUuid, name, action), createChainIndex(chain, action));
  }

  return {
    decide: (message) => {
      const { action, sourceZoneUuid, destinationZoneUuid, properties } = message;
      const outbound = decideChain(indexes.get(chainKey(sourceZoneUuid, 'OUTBOUND', action)), message, properties);
      const byDefault: Chain[] = outbound.isDefault ? ['OUTBOUND'] : [];
      if (outbound.deniedBy !== undefined) return toDecision(properties, outbound, byDefault);
      const inbound = decideChain(
        indexes.get(chainKey(destinationZoneUuid, 'INBOUND', action)),
        message,
        outbound.remaining,
      );
      if (inbound.isDefault) byDefault.push('INBOUND');
      return toDecision(properties, { ...inbound, applied: [...outbound.applied, ...inbound.applied] }, byDefault);
    },
  };
};

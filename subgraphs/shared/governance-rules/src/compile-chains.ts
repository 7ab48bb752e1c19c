import { effectOf, type AclAction, type AclEntry, type Chain } from './acl-entry.js';
import { createChainIndex, type ChainIndex } from './chain-index.js';
import type { AppliedAcl, Decision, Message } from './message.js';

/** The chains of all zones, compiled once per change and asked for every message. */
export interface GovernanceRules {
  /** Asks the source zone's outbound chain, then the destination zone's inbound chain with what is left. */
  decide(message: Message): Decision;
}

/** What one chain makes of a message. */
interface ChainDecision {
  readonly remaining: readonly string[];
  readonly applied: readonly AppliedAcl[];
  /** The entry after which nothing was left. */
  readonly deniedBy?: AppliedAcl;
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

/** A deletion, or a message without properties: the first entry that speaks of the action for all properties decides. */
const decideWhole = (entries: Iterable<AclEntry>, action: AclAction, properties: readonly string[]): ChainDecision => {
  for (const entry of entries) {
    if (entry.properties.length > 0) continue;
    const applied = toApplied(entry, action, properties);
    return applied.result === 'DENY'
      ? { remaining: [], applied: [applied], deniedBy: applied }
      : { remaining: properties, applied: [applied] };
  }
  return { remaining: properties, applied: [] };
};

/** The first entry that matches and speaks of the action decides, separately for each property. */
const decideProperties = (
  entries: Iterable<AclEntry>,
  action: AclAction,
  properties: readonly string[],
): ChainDecision => {
  const undecided = new Set(properties);
  const denied = new Set<string>();
  const applied: AppliedAcl[] = [];
  let lastDenial: AppliedAcl | undefined;
  for (const entry of entries) {
    const named = entry.properties.length > 0 ? new Set(entry.properties) : undefined;
    const decided = [...undecided].filter((property) => named?.has(property) ?? true);
    if (decided.length === 0) continue;
    const application = toApplied(entry, action, decided);
    applied.push(application);
    for (const property of decided) undecided.delete(property);
    if (application.result === 'DENY') {
      lastDenial = application;
      for (const property of decided) denied.add(property);
    }
    if (undecided.size === 0) break;
  }
  const remaining = properties.filter((property) => !denied.has(property));
  return { remaining, applied, ...(remaining.length === 0 && lastDenial ? { deniedBy: lastDenial } : {}) };
};

const decideChain = (index: ChainIndex | undefined, message: Message, properties: readonly string[]): ChainDecision => {
  if (index === undefined) return { remaining: properties, applied: [] };
  const entries = index.matching(message);
  return message.properties.length === 0 || message.action === 'DELETE'
    ? decideWhole(entries, message.action, properties)
    : decideProperties(entries, message.action, properties);
};

const toDecision = (properties: readonly string[], { remaining, applied, deniedBy }: ChainDecision): Decision => {
  const kept = new Set(remaining);
  return {
    outcome: deniedBy === undefined ? 'ALLOWED' : 'DENIED',
    removedProperties: properties.filter((property) => !kept.has(property)),
    applied,
    ...(deniedBy === undefined ? {} : { deniedBy }),
  };
};

/**
 * Compiles the chains of all zones (decisions, section 9). No entry: allowed. Entries may come in any order.
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
      if (outbound.deniedBy !== undefined) return toDecision(properties, outbound);
      const inbound = decideChain(
        indexes.get(chainKey(destinationZoneUuid, 'INBOUND', action)),
        message,
        outbound.remaining,
      );
      return toDecision(properties, { ...inbound, applied: [...outbound.applied, ...inbound.applied] });
    },
  };
};

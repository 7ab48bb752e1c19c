import { effectOf, type AclAction, type AclEntry } from './acl-entry.js';
import { createChainIndex, type Addressed, type ChainIndex } from './chain-index.js';
import { operationalEffectOf, type OperationalAction, type OperationalEntry } from './operational-entry.js';

/** Entries of the chain that together leave nothing for an entry to decide; empty: it can take effect. */
type Masks<Entry> = readonly Entry[];

const actions: readonly AclAction[] = ['GET', 'POST', 'PUT', 'DELETE'];

/** The entry as the smallest knowledge about every message that it matches. */
const addressedBy = (entry: AclEntry, drUuid: string | undefined): Addressed => {
  const isOutbound = entry.chain === 'OUTBOUND';
  const otherZone = (isOutbound ? entry.destinationZoneUuid : entry.sourceZoneUuid) ?? undefined;
  return {
    ...(isOutbound
      ? { sourceZoneUuid: entry.zoneUuid, destinationZoneUuid: otherZone }
      : { sourceZoneUuid: otherZone, destinationZoneUuid: entry.zoneUuid }),
    sourceAdaptorUuid: entry.sourceAdaptorUuid ?? undefined,
    destinationAdaptorUuid: entry.destinationAdaptorUuid ?? undefined,
    domainVersionUuid: entry.domainVersionUuid ?? undefined,
    drUuid,
  };
};

/** Entries before this one that take a part of it each: an action, a property, a record. Undefined when a part is left. */
const masksOf = (indexOf: (action: AclAction) => ChainIndex, entry: AclEntry): Masks<AclEntry> => {
  const masks = new Set<AclEntry>();
  const properties = entry.properties.length === 0 ? [undefined] : entry.properties;
  const records = entry.drUuids === undefined || entry.drUuids.length === 0 ? [undefined] : entry.drUuids;
  for (const action of actions) {
    if (effectOf(entry, action) === null) continue;
    for (const record of records) {
      const matching = indexOf(action).matching(addressedBy(entry, record));
      for (const property of properties) {
        const mask = property === undefined ? matching.decidesWhole() : matching.decides(property);
        if (mask === undefined || mask.position >= entry.position) return [];
        masks.add(mask);
      }
    }
  }
  return [...masks].sort((a, b) => a.position - b.position);
};

/**
 * Finds the entries that mask others of their chain: active entries in front of them that cover the same actions and match
 * all their messages, alone or together. Masks of several entries whose selectors together cover everything (each zone of
 * all, for example) are not found.
 *
 * @param chain the entries of one zone and chain, with those that are asked about
 * @returns a function that is to be asked about entries of the chain
 */
export const findMasks = (chain: readonly AclEntry[]): ((entry: AclEntry) => Masks<AclEntry>) => {
  const inOrder = chain.filter(({ active }) => active).sort((a, b) => a.position - b.position);
  const indexes = new Map<AclAction, ChainIndex>();
  const indexOf = (action: AclAction): ChainIndex => {
    let index = indexes.get(action);
    if (index === undefined) indexes.set(action, (index = createChainIndex(inOrder, action)));
    return index;
  };
  return (entry) => masksOf(indexOf, entry);
};

const covers = (mask: OperationalEntry, entry: OperationalEntry): boolean =>
  (['sourceZoneUuid', 'sourceAdaptorUuid', 'domainVersionUuid'] as const).every(
    (selector) => mask[selector] === null || mask[selector] === entry[selector],
  );

/** Likewise of an entry of the operational chain, of which those at or behind its position do not count. */
export const findOperationalMasks = (
  chain: readonly OperationalEntry[],
  entry: OperationalEntry,
): Masks<OperationalEntry> => {
  const before = chain
    .filter(({ active, position, uuid }) => active && position < entry.position && uuid !== entry.uuid)
    .sort((a, b) => a.position - b.position);
  const masks = new Set<OperationalEntry>();
  for (const action of ['POST', 'DELETE'] satisfies OperationalAction[]) {
    if (operationalEffectOf(entry, action) === null) continue;
    const mask = before.find((other) => operationalEffectOf(other, action) !== null && covers(other, entry));
    if (mask === undefined) return [];
    masks.add(mask);
  }
  return [...masks].sort((a, b) => a.position - b.position);
};

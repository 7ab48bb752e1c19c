import { effectOf, type AclAction, type AclEntry } from './acl-entry.js';
import { SelectorIndex, zoneBit, type Selectors } from './selector-index.js';

/** What is known of a message. Of the two zones the one of the chain is. */
export interface Addressed {
  readonly sourceZoneUuid?: string | undefined;
  readonly sourceAdaptorUuid?: string | undefined;
  readonly destinationZoneUuid?: string | undefined;
  readonly destinationAdaptorUuid?: string | undefined;
  readonly domainVersionUuid?: string | undefined;
  readonly drUuid?: string | undefined;
}

/** The entries of one chain and action that match a message. */
export interface MatchingEntries {
  /** The first one for all properties; undefined: none. */
  decidesWhole(): AclEntry | undefined;
  /** The first one for the property. */
  decides(property: string): AclEntry | undefined;
}

/** Finds which entries of one chain and action decide. */
export interface ChainIndex {
  matching(message: Addressed): MatchingEntries;
}

/** Of entries with the same selectors, those that can decide anything. */
interface Deciders {
  whole: AclEntry | undefined;
  /** By name in lower case, before `whole`. */
  byProperty: Map<string, AclEntry> | undefined;
}

/** One set of selectors per attached record, or one without. */
const selectorsOf = (entry: AclEntry): Selectors[] => {
  const records = entry.drUuids === undefined || entry.drUuids.length === 0 ? [null] : new Set(entry.drUuids);
  return [...records].map((record) => ({
    zone: entry.chain === 'OUTBOUND' ? entry.destinationZoneUuid : entry.sourceZoneUuid,
    source: entry.sourceAdaptorUuid,
    destination: entry.destinationAdaptorUuid,
    version: entry.domainVersionUuid,
    record,
  }));
};

const addTo = (deciders: Deciders, entry: AclEntry): void => {
  if (deciders.whole !== undefined) return;
  if (entry.properties.length === 0) {
    deciders.whole = entry;
    return;
  }
  const byProperty = (deciders.byProperty ??= new Map<string, AclEntry>());
  for (const property of entry.properties) {
    const name = property.toLowerCase();
    if (!byProperty.has(name)) byProperty.set(name, entry);
  }
};

const firstOf = (
  found: readonly Deciders[],
  pick: (deciders: Deciders) => AclEntry | undefined,
): AclEntry | undefined => {
  let first: AclEntry | undefined;
  for (const deciders of found) {
    const entry = pick(deciders);
    if (entry !== undefined && (first === undefined || entry.position < first.position)) first = entry;
  }
  return first;
};

/**
 * Indexes the entries of one chain that speak of the action. A message looks at one place per set of selectors in use (at
 * most 32), whatever the length of the chain and the number of entries that match.
 *
 * @param entries of one zone and chain, in order of position
 */
export const createChainIndex = (entries: readonly AclEntry[], action: AclAction): ChainIndex => {
  const index = new SelectorIndex<Deciders>(() => ({ whole: undefined, byProperty: undefined }));
  for (const entry of entries) {
    if (effectOf(entry, action) === null) continue;
    for (const selectors of selectorsOf(entry)) addTo(index.at(selectors), entry);
  }
  const isOutbound = entries[0]?.chain === 'OUTBOUND';

  return {
    matching: (message) => {
      const selectors: Selectors = {
        zone: isOutbound ? message.destinationZoneUuid : message.sourceZoneUuid,
        source: message.sourceAdaptorUuid,
        destination: message.destinationAdaptorUuid,
        version: message.domainVersionUuid,
        record: message.drUuid,
      };
      // within a zone only entries that name it on the other side count
      const required = message.sourceZoneUuid === message.destinationZoneUuid ? zoneBit : 0;
      const found = index.fulfilledBy(selectors, required);
      return {
        decidesWhole: () => firstOf(found, ({ whole }) => whole),
        decides: (property) => {
          const name = property.toLowerCase();
          return firstOf(found, ({ whole, byProperty }) => byProperty?.get(name) ?? whole);
        },
      };
    },
  };
};

import { effectOf, type AclAction, type AclEntry } from './acl-entry.js';
import { SelectorIndex, zoneBit, type Selectors } from './selector-index.js';

/** The known members of a message. The zone of the chain is always known. */
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

/** Combinations of selectors, and properties of each, that an index remembers. */
const maxKnown = 2_000;

/** The entries with equal selectors that can decide anything. */
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

/** Finds out about each property when it is first asked for. */
const createMatching = (found: readonly Deciders[]): MatchingEntries => {
  const deciding = new Map<string, AclEntry | undefined>();
  const whole = firstOf(found, (deciders) => deciders.whole);
  return {
    decidesWhole: () => whole,
    decides: (property) => {
      const entry = deciding.get(property);
      if (entry !== undefined || deciding.has(property)) return entry;
      const name = property.toLowerCase();
      const first = firstOf(found, (deciders) => deciders.byProperty?.get(name) ?? deciders.whole);
      if (deciding.size < maxKnown) deciding.set(property, first);
      return first;
    },
  };
};

/**
 * Indexes the entries of one chain that cover the action. A message looks at one place per set of selectors in use (at
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
  /** Records that entries name by uuid; all others are equal to the chain. */
  const named = new Set(entries.flatMap(({ drUuids }) => drUuids ?? []));
  const known = new Map<string, MatchingEntries>();

  return {
    matching: (message) => {
      const { sourceAdaptorUuid: source, destinationAdaptorUuid: destination, domainVersionUuid: version } = message;
      const zone = isOutbound ? message.destinationZoneUuid : message.sourceZoneUuid;
      const record = message.drUuid !== undefined && named.has(message.drUuid) ? message.drUuid : undefined;
      const key = `${zone}|${source}|${destination}|${version}|${record}`;
      let matching = known.get(key);
      if (matching === undefined) {
        // within a zone only entries that name it on the other side count
        const required = message.sourceZoneUuid === message.destinationZoneUuid ? zoneBit : 0;
        matching = createMatching(index.fulfilledBy({ zone, source, destination, version, record }, required));
        if (known.size >= maxKnown) known.clear();
        known.set(key, matching);
      }
      return matching;
    },
  };
};

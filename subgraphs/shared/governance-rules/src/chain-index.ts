import { effectOf, type AclAction, type AclEntry } from './acl-entry.js';
import type { Message } from './message.js';

/** Finds the entries of one chain and action that match a message, in the order of the chain. */
export interface ChainIndex {
  matching(message: Message): Iterable<AclEntry>;
}

/** What an entry may select by, as bits; a shape is the set of selectors an entry names. */
const zoneBit = 1;
const sourceBit = 2;
const destinationBit = 4;
const versionBit = 8;
const recordBit = 16;

interface Selectors {
  readonly otherZone: string | null | undefined;
  readonly source: string | null | undefined;
  readonly destination: string | null | undefined;
  readonly version: string | null | undefined;
  readonly record: string | null | undefined;
}

const shapeOf = ({ otherZone, source, destination, version, record }: Selectors): number =>
  (otherZone == null ? 0 : zoneBit) |
  (source == null ? 0 : sourceBit) |
  (destination == null ? 0 : destinationBit) |
  (version == null ? 0 : versionBit) |
  (record == null ? 0 : recordBit);

const keyOf = (shape: number, { otherZone, source, destination, version, record }: Selectors): string => {
  let key = '';
  if ((shape & zoneBit) !== 0) key += otherZone;
  key += '|';
  if ((shape & sourceBit) !== 0) key += source;
  key += '|';
  if ((shape & destinationBit) !== 0) key += destination;
  key += '|';
  if ((shape & versionBit) !== 0) key += version;
  key += '|';
  if ((shape & recordBit) !== 0) key += record;
  return key;
};

/** One set of selectors per attached record, or one without. */
const selectorsOf = (entry: AclEntry): Selectors[] => {
  const records = entry.drUuids === undefined || entry.drUuids.length === 0 ? [null] : new Set(entry.drUuids);
  return [...records].map((record) => ({
    otherZone: entry.chain === 'OUTBOUND' ? entry.destinationZoneUuid : entry.sourceZoneUuid,
    source: entry.sourceAdaptorUuid,
    destination: entry.destinationAdaptorUuid,
    version: entry.domainVersionUuid,
    record,
  }));
};

/** Merges lists that are each in order of position; no entry is in two of them. */
function* inOrder(lists: readonly (readonly AclEntry[])[]): Generator<AclEntry> {
  const cursors = lists.map(() => 0);
  for (;;) {
    let first: AclEntry | undefined;
    let from = -1;
    for (const [index, list] of lists.entries()) {
      const candidate = list[cursors[index] as number];
      if (candidate !== undefined && (first === undefined || candidate.position < first.position)) {
        first = candidate;
        from = index;
      }
    }
    if (first === undefined) return;
    cursors[from] = (cursors[from] as number) + 1;
    yield first;
  }
}

/**
 * Indexes the entries of one chain that speak of the action: a message looks into one list per shape in use (at most
 * 32), whatever the length of the chain.
 *
 * @param entries of one zone and chain, in order of position
 */
export const createChainIndex = (entries: readonly AclEntry[], action: AclAction): ChainIndex => {
  const shapes = new Map<number, Map<string, AclEntry[]>>();
  for (const entry of entries) {
    if (effectOf(entry, action) === null) continue;
    for (const selectors of selectorsOf(entry)) {
      const shape = shapeOf(selectors);
      let lists = shapes.get(shape);
      if (lists === undefined) shapes.set(shape, (lists = new Map()));
      const key = keyOf(shape, selectors);
      const list = lists.get(key);
      if (list === undefined) lists.set(key, [entry]);
      else list.push(entry);
    }
  }
  const outbound = entries[0]?.chain === 'OUTBOUND';

  return {
    matching: (message) => {
      const selectors: Selectors = {
        otherZone: outbound ? message.destinationZoneUuid : message.sourceZoneUuid,
        source: message.sourceAdaptorUuid,
        destination: message.destinationAdaptorUuid,
        version: message.domainVersionUuid,
        record: message.drUuid,
      };
      // within a zone only entries that name it on the other side count
      const required = message.sourceZoneUuid === message.destinationZoneUuid ? zoneBit : 0;
      const known = shapeOf(selectors);
      const lists: AclEntry[][] = [];
      for (const [shape, byKey] of shapes) {
        if ((shape & ~known) !== 0 || (shape & required) !== required) continue;
        const list = byKey.get(keyOf(shape, selectors));
        if (list !== undefined) lists.push(list);
      }
      return inOrder(lists);
    },
  };
};

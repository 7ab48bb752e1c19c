import type { AclAction, AclEffect, AclEntry } from '../acl-entry.js';
import type { Message } from '../message.js';

/** docs/reference/governance.md#chains, sentence by sentence, without an index. */
export const matches = (entry: AclEntry, message: Message): boolean => {
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

export const speaks = (entry: AclEntry, action: AclAction): AclEffect | null => {
  if (action === 'DELETE' && entry.properties.length > 0) return null;
  return { GET: entry.get, POST: entry.post, PUT: entry.put, DELETE: entry.delete }[action];
};

/** Effect of one chain on one property, or on the whole message; undefined: no entry covers it. */
const effectOn = (
  entries: readonly AclEntry[],
  chain: AclEntry['chain'],
  message: Message,
  property: string | undefined,
): AclEffect | undefined => {
  const [deciding] = entries
    .filter((entry) => entry.chain === chain && matches(entry, message) && speaks(entry, message.action) !== null)
    .filter(
      (entry) =>
        entry.properties.length === 0 ||
        (property !== undefined && entry.properties.some((name) => name.toLowerCase() === property.toLowerCase())),
    )
    .sort((a, b) => a.position - b.position);
  return deciding === undefined ? undefined : (speaks(deciding, message.action) ?? undefined);
};

/** The decision of the chains on a message. */
export interface NaiveDecision {
  readonly outcome: 'ALLOWED' | 'DENIED';
  readonly removedProperties: readonly string[];
  readonly byDefault: readonly AclEntry['chain'][];
}

/** Reads the chains entry by entry. */
export const decideNaively = (entries: readonly AclEntry[], message: Message): NaiveDecision => {
  const isWhole = message.action === 'DELETE' || message.properties.length === 0;
  const byDefault: AclEntry['chain'][] = [];
  let left: readonly (string | undefined)[] = isWhole ? [undefined] : message.properties;
  for (const chain of ['OUTBOUND', 'INBOUND'] as const) {
    if (left.length === 0) break;
    const effects = new Map(left.map((property) => [property, effectOn(entries, chain, message, property)]));
    if ([...effects.values()].includes(undefined)) byDefault.push(chain);
    left = left.filter((property) => effects.get(property) !== 'DENY');
  }
  const isDenied = left.length === 0;
  const removed = isWhole && !isDenied ? [] : message.properties.filter((property) => !left.includes(property));
  return { outcome: isDenied ? 'DENIED' : 'ALLOWED', removedProperties: removed, byDefault };
};

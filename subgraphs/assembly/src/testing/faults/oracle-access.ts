import type { AccessRule } from '@fds/access-rules';
import { propertyNames, type World, type WorldAdaptor, type WorldEntry } from './world.js';

// Follows the specification sentence by sentence, without indexes or caches, and shares no code with the product.

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Does a chain deny GET for a property? */
const isDeniedBy = (
  entries: readonly WorldEntry[],
  home: string,
  adaptor: WorldAdaptor,
  recordUuid: string,
  property: string,
): boolean => {
  for (const entry of entries) {
    const chainZone = entry.chain === 'OUTBOUND' ? adaptor.zoneUuid : home;
    if (entry.zoneUuid !== chainZone) continue;
    const other = entry.chain === 'OUTBOUND' ? entry.destinationZoneUuid : entry.sourceZoneUuid;
    const otherZone = entry.chain === 'OUTBOUND' ? home : adaptor.zoneUuid;
    if (other === null ? otherZone === entry.zoneUuid : other !== otherZone) continue;
    if (entry.sourceAdaptorUuid !== null && entry.sourceAdaptorUuid !== adaptor.uuid) continue;
    if (entry.drUuids.length > 0 && !entry.drUuids.includes(recordUuid)) continue;
    if (entry.properties.length > 0 && !entry.properties.some((name) => same(name, property))) continue;
    return entry.get === 'DENY';
  }
  return false;
};

/** May a person with the roles GET a property? @param holder null means the data of the server */
const isAllowedByRoles = (
  roles: readonly (readonly AccessRule[])[] | undefined,
  holder: WorldAdaptor | { readonly uuid: null; readonly zoneUuid: string },
  recordUuid: string,
  property: string,
): boolean => {
  if (roles === undefined) return true;
  return roles.some((rules) => {
    for (const rule of rules) {
      if (rule.actions !== null && !rule.actions.includes('GET')) continue;
      if (rule.zoneUuid !== null && rule.zoneUuid !== holder.zoneUuid) continue;
      if (rule.adaptorUuid !== null && rule.adaptorUuid !== holder.uuid) continue;
      if (rule.drUuids !== null && !rule.drUuids.includes(recordUuid)) continue;
      if (rule.properties !== null && !rule.properties.some((name) => same(name, property))) continue;
      return rule.effect === 'ALLOW';
    }
    return rules.at(-1)?.effect !== 'ALLOW';
  });
};

export interface OracleAccess {
  /** Do the roles show every property of every record in every adaptor? */
  readonly isWhole: boolean;
  /** Properties of a record that the caller may get from an adaptor. */
  visible(adaptor: WorldAdaptor, recordUuid: string): string[];
  /**
   * Properties of an adaptor's record that the caller's roles show, regardless of governance; null means the data of
   * the server.
   */
  shown(adaptor: WorldAdaptor | null, recordUuid: string): string[];
}

export const oracleAccess = (world: World, roles: readonly (readonly AccessRule[])[] | undefined): OracleAccess => {
  const [home] = world.zoneUuids;
  const outbound = world.entries.filter(({ chain }) => chain === 'OUTBOUND');
  const inbound = world.entries.filter(({ chain }) => chain === 'INBOUND');
  const shown: OracleAccess['shown'] = (adaptor, recordUuid) =>
    propertyNames.filter((name) =>
      isAllowedByRoles(roles, adaptor ?? { uuid: null, zoneUuid: home }, recordUuid, name),
    );
  const anyAdaptor = { uuid: 'any', zoneUuid: 'any' } as WorldAdaptor;
  const holders = [
    null,
    anyAdaptor,
    ...world.adaptors,
    ...world.zoneUuids.map((zoneUuid) => ({ ...anyAdaptor, zoneUuid })),
  ];
  const recordUuids = ['any', ...world.records.map(({ uuid }) => uuid)];
  return {
    isWhole: holders.every((holder) =>
      recordUuids.every((recordUuid) => shown(holder, recordUuid).length === propertyNames.length),
    ),
    shown,
    visible: (adaptor, recordUuid) =>
      shown(adaptor, recordUuid).filter(
        (name) =>
          !isDeniedBy(outbound, home, adaptor, recordUuid, name) &&
          !isDeniedBy(inbound, home, adaptor, recordUuid, name),
      ),
  };
};

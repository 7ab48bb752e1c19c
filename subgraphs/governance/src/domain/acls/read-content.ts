import { isStorableText } from '@fds/json';
import type { FaultList } from '@fds/errors';
import type { Chain } from '@fds/governance-rules';
import type { OperationalAclContent, ZoneAclContent } from './acl-content.js';
import { chainNames } from './chain.js';

const maxNameLength = 128;

/** Pointer of an entry in the input: `''`, or `/<index>` of a list. */
type Place = string;

const checkName = (name: string | null, place: Place, faults: FaultList): void => {
  if (name === null) return;
  if (Array.from(name).length > maxNameLength) {
    faults.add(`${place}/name`, 'TOO_LONG', `name has at most ${maxNameLength} characters`);
  }
  if (!isStorableText(name))
    faults.add(`${place}/name`, 'INVALID_CHARACTER', 'name contains a character that cannot be stored');
};

/**
 * Reads an entry of a zone's chain. The selector of the chain's own zone is set to that zone. The result is meaningless
 * when there is a fault.
 */
export const readZoneAcl = (
  content: ZoneAclContent,
  { zoneUuid, chain }: { readonly zoneUuid: string; readonly chain: Chain },
  place: Place,
  faults: FaultList,
): ZoneAclContent => {
  const { ownZone } = chainNames[chain];
  const own = content[ownZone];
  if (own !== null && own !== zoneUuid) {
    faults.add(`${place}/${ownZone}`, 'FOREIGN_ZONE', `${ownZone} is the zone of the chain, ${zoneUuid}`);
  }
  checkName(content.name, place, faults);
  for (const [at, property] of (content.properties ?? []).entries()) {
    const pointer = `${place}/properties/${at}`;
    if (property.trim() === '') faults.add(pointer, 'BLANK', 'a property name is not blank');
    else if (!isStorableText(property))
      faults.add(pointer, 'INVALID_CHARACTER', 'contains a character that cannot be stored');
  }
  const properties = [...new Set(content.properties)];
  return { ...content, properties: properties.length === 0 ? null : properties, [ownZone]: zoneUuid };
};

/** Reads an entry of the operational chain. */
export const readOperationalAcl = (
  content: OperationalAclContent,
  place: Place,
  faults: FaultList,
): OperationalAclContent => {
  checkName(content.name, place, faults);
  return content;
};

import { restrictionOf, visibleNothing, type DataAccess, type VersionAccess, type Visible } from '@fds/access-rules';
import { isJsonObject } from '@fds/json';
import type { ChangeEvent } from './change-event.js';
import { subjectOfChange, type ChangeSubject } from './change-subject.js';

const both = (one: Visible, other: Visible): Visible => {
  if (one.extent === 'ALL') return other;
  if (other.extent === 'ALL') return one;
  const names = new Set([...one.names].filter((name) => other.names.has(name)));
  return names.size === 0 ? visibleNothing() : { extent: 'SOME', names };
};

/** The part of a record that is visible at every adaptor and at the server. */
const anywhere = ({ own, others, classes }: VersionAccess, recordUuid: string): Visible =>
  [others, ...classes.map(({ access }) => access)].reduce<Visible>(
    (visible, access) => both(visible, access.of(recordUuid)),
    own.of(recordUuid),
  );

// as a record that no rule names
const unknownRecord = '00000000-0000-0000-0000-000000000000';

const recordOf = ({ resourceType, resourceUuid, data }: ChangeEvent): string => {
  if (resourceType === 'Dr') return resourceUuid ?? unknownRecord;
  const drUuid = isJsonObject(data) ? data['drUuid'] : undefined;
  return typeof drUuid === 'string' ? drUuid : unknownRecord;
};

/** An issue of an event that names no version shows only that something came. An entry that does not say so may be about hidden data. */
const statesNoVersion = ({ resourceType, data }: ChangeEvent): boolean =>
  resourceType === 'DataIssue' && isJsonObject(data) && data['domainVersion'] === null;

/**
 * The part of a change of a record or of an issue that data access rules show. A change of a federated record that no adaptor made
 * counts as data of every adaptor, because the log does not name those that hold the record.
 *
 * @returns undefined where everything is visible
 */
export const visibleOfChange = (
  principal: { readonly dataAccess?: DataAccess | undefined },
  change: ChangeEvent,
  { version, adaptorZoneUuid: zoneUuid }: ChangeSubject,
): Visible | undefined => {
  const names = subjectOfChange(change);
  if (principal.dataAccess === undefined || names === undefined) return undefined;
  const { domainVersionUuid, adaptorUuid } = names;
  if (domainVersionUuid === undefined) return statesNoVersion(change) ? undefined : visibleNothing();
  // rules cannot decide on a version that was deleted
  if (version === undefined) return visibleNothing();
  const access = restrictionOf(principal, 'GET', version);
  if (access === undefined) return undefined;
  const record = recordOf(change);
  const isStored = version.domainType === 'SERVICE_DATA_STORE';
  if (isStored && change.resourceType === 'Dr') return access.own.of(record);
  const held =
    adaptorUuid === undefined || zoneUuid === undefined
      ? anywhere(access, record)
      : access.at({ adaptorUuid, zoneUuid }).of(record);
  return isStored ? both(access.own.of(record), held) : held;
};

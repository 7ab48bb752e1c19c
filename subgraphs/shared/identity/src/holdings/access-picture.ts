import type { DataAction, DataVersion } from '@fds/access-rules';
import type { PrismaTransaction } from '@fds/database';
import { loadDataOfPeople, loadDataOfRole } from './data-of-people.js';
import { compileRuleLists, type RuleLists } from './data-rules.js';

interface Subject {
  readonly kind: 'PERSON' | 'ROLE';
  readonly uuid: string;
  /** User name, or the name of a role with the path of its zone. */
  readonly name: string;
  readonly data: RuleLists;
}

/** The data of the roles and users of zones. */
export type AccessPicture = ReadonlyMap<string, Subject>;

/** A property with the actions on it. */
interface PropertyAccess {
  readonly domainVersion: string;
  readonly property: string;
  readonly actions: readonly DataAction[];
}

/** Data that a person or role gains or loses. */
export interface AccessDifference {
  readonly subject: { readonly kind: Subject['kind']; readonly name: string; readonly uuid: string | null };
  readonly gains: readonly PropertyAccess[];
  readonly loses: readonly PropertyAccess[];
}

/** In the names of documents a slash is `%2F`, and a percent sign `%25`. */
const segmentOf = (name: string): string => name.replaceAll('%', '%25').replaceAll('/', '%2F');

/** The paths of all zones. */
const loadZonePaths = async (tx: PrismaTransaction): Promise<ReadonlyMap<string, string>> => {
  const zones = await tx.zone.findMany({ select: { uuid: true, name: true, parentZoneUuid: true } });
  const byUuid = new Map(zones.map((zone) => [zone.uuid, zone]));
  const pathOf = ({ name, parentZoneUuid }: (typeof zones)[number]): string => {
    const parent = parentZoneUuid === null ? undefined : byUuid.get(parentZoneUuid);
    return parent === undefined ? segmentOf(name) : `${pathOf(parent)}/${segmentOf(name)}`;
  };
  return new Map(zones.map((zone) => [zone.uuid, pathOf(zone)]));
};

/** Zones of a picture at most: a larger plan is compared for the first of them. */
const maxZones = 100;

/** Loads the data of the roles and users of the zones with these paths. */
export const loadAccessPicture = async (
  tx: PrismaTransaction,
  zonePaths: ReadonlySet<string>,
): Promise<AccessPicture> => {
  const paths = await loadZonePaths(tx);
  const zoneUuids = [...paths].flatMap(([uuid, path]) => (zonePaths.has(path) ? [uuid] : [])).slice(0, maxZones);
  const picture = new Map<string, Subject>();
  const roles = await tx.role.findMany({
    where: { zoneUuid: { in: zoneUuids } },
    select: { uuid: true, name: true, zoneUuid: true },
  });
  for (const { uuid, name, zoneUuid } of roles) {
    const path = `${paths.get(zoneUuid) ?? ''}/${segmentOf(name)}`;
    picture.set(uuid, { kind: 'ROLE', uuid, name: path, data: await loadDataOfRole(tx, uuid) });
  }
  const people = await tx.person.findMany({
    where: { memberships: { some: { zoneUuid: { in: zoneUuids } } } },
    select: { uuid: true, username: true },
  });
  const data = await loadDataOfPeople(tx, { personUuids: people.map(({ uuid }) => uuid), memberships: 'active' });
  for (const { uuid, username } of people)
    picture.set(uuid, { kind: 'PERSON', uuid, name: username, data: data.get(uuid) ?? [] });
  return picture;
};

interface NamedVersion extends DataVersion {
  readonly name: string;
}

const loadVersions = async (tx: PrismaTransaction): Promise<readonly NamedVersion[]> => {
  const versions = await tx.domainVersion.findMany({
    select: {
      uuid: true,
      versionNumber: true,
      domain: { select: { uuid: true, name: true, zoneUuid: true } },
      properties: { select: { name: true }, where: { name: { not: { contains: '.' } } } },
    },
  });
  return versions.map(({ uuid, versionNumber, domain, properties }) => ({
    uuid,
    name: `${domain.name}:v${versionNumber}`,
    domainUuid: domain.uuid,
    zoneUuid: domain.zoneUuid,
    model: { properties },
  }));
};

const dataActions: readonly DataAction[] = ['GET', 'POST', 'PUT', 'DELETE'];

/** Actions on each property of each version. */
const actionsOf = async (
  tx: PrismaTransaction,
  data: RuleLists,
  versions: readonly NamedVersion[],
): Promise<ReadonlyMap<string, readonly DataAction[]>> => {
  const found = new Map<string, readonly DataAction[]>();
  if (data.length === 0) return found;
  const access = await compileRuleLists(tx, data);
  for (const version of versions) {
    const ofActions = dataActions.map((action) => [action, access.of(action, version)] as const);
    for (const { name } of version.model.properties) {
      const actions = ofActions.flatMap(([action, of]) => (of.isEverAllowed(name) ? [action] : []));
      if (actions.length > 0) found.set(`${version.name}\n${name}`, actions);
    }
  }
  return found;
};

const without = (
  some: ReadonlyMap<string, readonly DataAction[]>,
  others: ReadonlyMap<string, readonly DataAction[]>,
): readonly PropertyAccess[] =>
  [...some].flatMap(([key, actions]) => {
    const [domainVersion = '', property = ''] = key.split('\n');
    const more = actions.filter((action) => others.get(key)?.includes(action) !== true);
    return more.length === 0 ? [] : [{ domainVersion, property, actions: more }];
  });

const nothing: RuleLists = [];

/** The gains and losses of each subject between two pictures; subjects without a difference are left out. */
export const compareAccess = async (
  tx: PrismaTransaction,
  before: AccessPicture,
  after: AccessPicture,
): Promise<readonly AccessDifference[]> => {
  const differences: AccessDifference[] = [];
  let versions: readonly NamedVersion[] | undefined;
  for (const uuid of new Set([...before.keys(), ...after.keys()])) {
    const [had, has] = [before.get(uuid), after.get(uuid)];
    const [dataBefore, dataAfter] = [had?.data ?? nothing, has?.data ?? nothing];
    if (JSON.stringify(dataBefore) === JSON.stringify(dataAfter)) continue;
    versions ??= await loadVersions(tx);
    const [actionsBefore, actionsAfter] = [
      await actionsOf(tx, dataBefore, versions),
      await actionsOf(tx, dataAfter, versions),
    ];
    const gains = without(actionsAfter, actionsBefore);
    const loses = without(actionsBefore, actionsAfter);
    const { kind, name } = (has ?? had) as Subject;
    if (gains.length + loses.length > 0)
      differences.push({ subject: { kind, name, uuid: had === undefined ? null : uuid }, gains, loses });
  }
  return differences;
};

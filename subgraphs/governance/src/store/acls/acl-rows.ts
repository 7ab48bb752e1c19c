import { logChangeList, type Change, type PrismaTransaction } from '@fds/database';
import type { AclEffect, AclEntry, Chain, OperationalEntry } from '@fds/governance-rules';
import type { OperationalAclContent, ZoneAclContent } from '../../domain/acls/acl-content.js';
import { aclPath, chainNames } from '../../domain/acls/chain.js';

/** A chain of a zone. */
export interface ChainKey {
  readonly zoneUuid: string;
  readonly chain: Chain;
}

interface Stored {
  readonly uuid: string;
  readonly position: number;
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
  readonly changeVersion: number;
}

/** An entry of a zone's chain in answers. */
export type ZoneAcl = ZoneAclContent & Stored & { readonly zoneUuid: string };
/** An entry of the operational chain in answers. */
export type OperationalAcl = OperationalAclContent & Stored;

export type ZoneAclRow = Awaited<ReturnType<PrismaTransaction['zoneAcl']['findFirstOrThrow']>>;
export type OperationalAclRow = Awaited<ReturnType<PrismaTransaction['operationalAcl']['findFirstOrThrow']>>;

const toEffect = (text: string | null): AclEffect | null => text as AclEffect | null;

export const toZoneAcl = ({ chain: _chain, ...row }: ZoneAclRow): ZoneAcl => ({
  ...row,
  properties: row.properties.length === 0 ? null : row.properties,
  get: toEffect(row.get),
  post: toEffect(row.post),
  put: toEffect(row.put),
  delete: toEffect(row.delete),
});

export const toOperationalAcl = (row: OperationalAclRow): OperationalAcl => ({
  ...row,
  post: toEffect(row.post),
  delete: toEffect(row.delete),
});

/** The entry in the form of the rules. */
export const toAclEntry = (acl: ZoneAcl, chain: Chain, drUuids: readonly string[]): AclEntry => ({
  ...acl,
  chain,
  properties: acl.properties ?? [],
  drUuids,
});

export const toOperationalEntry = (acl: OperationalAcl): OperationalEntry => acl;

type LoggedAction = Change['action'];

/** Members of the change log for every entry. */
const toChange = (action: LoggedAction, acl: ZoneAcl | OperationalAcl, actorUuid: string | undefined) => ({
  action,
  resourceUuid: acl.uuid,
  ...(actorUuid === undefined ? {} : { actorUuid }),
  data: acl,
});

/** Logs the new state of changed entries of a zone's chain. */
export const logZoneAcls = (
  tx: PrismaTransaction,
  action: LoggedAction,
  { zoneUuid, chain }: ChainKey,
  acls: readonly ZoneAcl[],
  actorUuid: string | undefined,
): Promise<void> =>
  logChangeList(
    tx,
    acls.map((acl) => ({
      ...toChange(action, acl, actorUuid),
      resourceType: chainNames[chain].resourceType,
      resource: aclPath(chain, zoneUuid, acl.uuid),
      zoneUuid,
    })),
  );

/** Logs the new state of changed entries of the operational chain. */
export const logOperationalAcls = (
  tx: PrismaTransaction,
  action: LoggedAction,
  acls: readonly OperationalAcl[],
  actorUuid: string | undefined,
): Promise<void> =>
  logChangeList(
    tx,
    acls.map((acl) => ({
      ...toChange(action, acl, actorUuid),
      resourceType: 'OperationalAcl',
      resource: `/operational-acls/entries/${acl.uuid}`,
    })),
  );

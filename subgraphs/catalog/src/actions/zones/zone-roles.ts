import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';

/** The actor of the changes, and the source of new ids. */
interface RoleWriter {
  readonly actorUuid?: string | undefined;
  readonly newUuid: () => string;
}

/** Port: gives a new zone its managed roles with their holders, in the zone's own transaction. */
export type CreateManagedRoles = (
  tx: PrismaTransaction,
  zone: {
    readonly zoneUuid: string;
    readonly parentZoneUuid: string | null;
    readonly adminUserUuids?: readonly string[] | undefined;
    readonly dataStewardUserUuids?: readonly string[] | undefined;
  },
  writer: RoleWriter,
) => Promise<void>;

/**
 * Port: removes all data that another subgraph stores for a zone. Called in the transaction that deletes the zone,
 * after its row is deleted. The zone is empty then.
 */
export type ForgetZone = (
  tx: PrismaTransaction,
  zoneUuid: string,
  writer: Pick<RoleWriter, 'actorUuid'>,
) => Promise<void>;

/** Port: checks that the caller may create domains for the zone. @throws AppError FORBIDDEN */
export type RequireDomainZone = (tx: PrismaTransaction, principal: Principal, zoneUuid: string) => Promise<void>;

/** Port: gives the stewards of the owning zone their permissions on a new domain, in the domain's own transaction. */
export type GrantDomain = (
  tx: PrismaTransaction,
  domain: { readonly zoneUuid: string; readonly domainUuid: string },
  writer: RoleWriter,
) => Promise<void>;

/**
 * Port: moves a domain to the stewards of another zone, in the domain's own transaction.
 *
 * @throws AppError FORBIDDEN when the writer may not give its data
 */
export type MoveDomain = (
  tx: PrismaTransaction,
  domain: { readonly domainUuid: string; readonly fromZoneUuid: string; readonly toZoneUuid: string },
  writer: RoleWriter,
) => Promise<void>;

/** Port: makes this process forget cached permissions. Called after a commit that changed permissions. */
export type ForgetHolders = () => void;

import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';

/** The actor of a port's changes, and the source of new ids. */
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
 * Port: removes everything that another part of the product stores for a zone. Called in the transaction that deletes the
 * zone, once its
 * row is gone; nothing is in the zone then.
 */
export type ForgetZone = (
  tx: PrismaTransaction,
  zoneUuid: string,
  writer: Pick<RoleWriter, 'actorUuid'>,
) => Promise<void>;

/** Port: checks that the caller may create domains for the zone. @throws AppError FORBIDDEN */
export type RequireDomainZone = (tx: PrismaTransaction, principal: Principal, zoneUuid: string) => Promise<void>;

/** Port: gives the stewards of the owning zone what they hold on a new domain, in the domain's own transaction. */
export type GrantDomain = (
  tx: PrismaTransaction,
  domain: { readonly zoneUuid: string; readonly domainUuid: string },
  writer: RoleWriter,
) => Promise<void>;

/**
 * Port: gives a domain to the stewards of another zone, in the domain's own transaction.
 *
 * @throws AppError FORBIDDEN when the writer may not give its data
 */
export type MoveDomain = (
  tx: PrismaTransaction,
  domain: { readonly domainUuid: string; readonly fromZoneUuid: string; readonly toZoneUuid: string },
  writer: RoleWriter,
) => Promise<void>;

/** Port: this process forgets who may do what. Called after a commit that changed it. */
export type ForgetHolders = () => void;

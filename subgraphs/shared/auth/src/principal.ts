import type { DataAccess, Action } from '@fds/access-rules';

/** Membership of a person in a zone. */
export interface ZoneMembership {
  readonly zoneUuid: string;
  readonly zoneName: string;
  readonly zoneUserUuid: string;
  readonly default: boolean;
  /** False: a stranger added the person to the zone. */
  readonly knowsPerson: boolean;
  readonly roles: readonly { readonly uuid: string; readonly name: string }[];
  readonly groups: readonly { readonly uuid: string; readonly name: string }[];
}

/** A verified caller. Travels with every request to every part; parts refuse by it, not only the edge. */
export interface Principal {
  readonly kind: 'PERSON' | 'ADAPTOR';
  /** Uuid of the person or adaptor. */
  readonly uuid: string;
  readonly username: string;
  readonly zones: readonly ZoneMembership[];
  /** Zone used where a request names none; undefined for adaptors. */
  readonly defaultZoneUuid: string | undefined;
  /** May the principal do this on the path (below `/api`)? */
  permits(action: Action, path: string): boolean;
  /** The data that data access rules leave to the principal; undefined: all of it. */
  readonly dataAccess?: DataAccess | undefined;
  /** Digest of permissions and data access rules: principals with the same digest may do the same. Undefined: not known. */
  readonly rights?: string | undefined;
}

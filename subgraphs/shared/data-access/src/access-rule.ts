import type { Action } from '@fds/permissions';

/** A data access rule of a role (decisions, section 5). Null is any. */
export interface AccessRule {
  readonly effect: 'ALLOW' | 'DENY';
  /** PUT and PATCH mean the same: to change a record. */
  readonly actions: readonly Action[] | null;
  /** Of the adaptor that holds the data; of data that the server holds, the zone that owns the domain. */
  readonly zoneUuid: string | null;
  /** Of who holds the data; never of data that the server holds. */
  readonly adaptorUuid: string | null;
  readonly domainUuid: string | null;
  readonly domainVersionUuid: string | null;
  /** At the top of the model, in any case. A rule with properties does not speak of DELETE. */
  readonly properties: readonly string[] | null;
  readonly drUuids: readonly string[] | null;
}

/** What is done to data. */
export type DataAction = 'GET' | 'POST' | 'PUT' | 'DELETE';

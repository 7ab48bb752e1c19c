import type { Action } from '../permissions/action.js';

/** A data access rule of a role (docs/reference/data-access.md). Null is any. */
export interface AccessRule {
  readonly effect: 'ALLOW' | 'DENY';
  /** PUT and PATCH mean the same: to change a record. */
  readonly actions: readonly Action[] | null;
  /** Zone of the adaptor that holds the data; for data that the server holds, the zone that owns the domain. */
  readonly zoneUuid: string | null;
  /** The adaptor that holds the data; null for data that the server holds. */
  readonly adaptorUuid: string | null;
  readonly domainUuid: string | null;
  readonly domainVersionUuid: string | null;
  /** At the top of the model, in any case. A rule with properties does not cover DELETE. */
  readonly properties: readonly string[] | null;
  readonly drUuids: readonly string[] | null;
}

/** An action on data. */
export type DataAction = 'GET' | 'POST' | 'PUT' | 'DELETE';

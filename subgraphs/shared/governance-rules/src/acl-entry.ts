/** Which of a zone's two chains. */
export type Chain = 'INBOUND' | 'OUTBOUND';

export type AclEffect = 'ALLOW' | 'DENY';

/** Action of the message to the destination. */
export type AclAction = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * An entry of a zone's chain (docs/reference/governance.md#entries). A null selector means any, a null zone selector any
 * *other* zone.
 * The source zone of an outbound entry and the destination zone of an inbound entry is the chain's zone: the evaluator
 * ignores that selector.
 */
export interface AclEntry {
  readonly uuid: string;
  /** Zone of the chain. */
  readonly zoneUuid: string;
  readonly chain: Chain;
  /** From 0, unique within the chain; gaps do no harm. */
  readonly position: number;
  readonly sourceZoneUuid: string | null;
  readonly sourceAdaptorUuid: string | null;
  readonly destinationZoneUuid: string | null;
  readonly destinationAdaptorUuid: string | null;
  readonly domainVersionUuid: string | null;
  /** Properties it decides for, compared ignoring case; empty: all. An entry with properties does not cover DELETE. */
  readonly properties: readonly string[];
  /** Null: the entry does not cover the action. */
  readonly get: AclEffect | null;
  readonly post: AclEffect | null;
  readonly put: AclEffect | null;
  readonly delete: AclEffect | null;
  /** An inactive entry is as good as absent. */
  readonly active: boolean;
  /** Records attached to it; none or absent: all records. */
  readonly drUuids?: readonly string[];
}

const effectKeys = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete' } as const;

/** The decision of the entry on the action; null: none. */
export const effectOf = (entry: AclEntry, action: AclAction): AclEffect | null =>
  action === 'DELETE' && entry.properties.length > 0 ? null : entry[effectKeys[action]];

/** A change as notifications read it; an entry of the change log is one. */
export interface ChangeEvent {
  readonly action: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly resourceType: string;
  /** Path below `/api`. */
  readonly resource: string;
  readonly resourceUuid?: string;
  readonly zoneUuid?: string;
  /** Person or adaptor; undefined: the server. */
  readonly actorUuid?: string;
  /** The resource after the change, before it for DELETE. */
  readonly data?: unknown;
}

/** The actor of changes to persons, roles and permissions, and the source of new ids. */
export interface IdentityWriter {
  /** Person that causes the change; undefined: the server. */
  readonly actorUuid?: string | undefined;
  /** UUID version 7. */
  readonly newUuid: () => string;
}

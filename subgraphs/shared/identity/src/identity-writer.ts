/** Who changes persons, roles and permissions, and with which ids. */
export interface IdentityWriter {
  /** Person that causes the change; undefined: the server. */
  readonly actorUuid?: string | undefined;
  /** UUID version 7. */
  readonly newUuid: () => string;
}

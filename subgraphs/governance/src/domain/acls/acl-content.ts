import type { AclEffect, OperationalEntry } from '@fds/governance-rules';

/**
 * Content of an entry of a zone's chain, from a caller. A selector that is null means any. An action that is null is
 * not covered.
 */
export interface ZoneAclContent {
  readonly name: string | null;
  readonly sourceZoneUuid: string | null;
  readonly sourceAdaptorUuid: string | null;
  readonly destinationZoneUuid: string | null;
  readonly destinationAdaptorUuid: string | null;
  readonly domainVersionUuid: string | null;
  /** Null means the whole message. */
  readonly properties: readonly string[] | null;
  readonly get: AclEffect | null;
  readonly post: AclEffect | null;
  readonly put: AclEffect | null;
  readonly delete: AclEffect | null;
  readonly active: boolean;
}

/** Content of an entry of the operational chain, from a caller: a name, and all members of a rule except its position. */
export type OperationalAclContent = Omit<OperationalEntry, 'uuid' | 'position'> & { readonly name: string | null };

/** Input from a caller. Null and absent are the same. */
export type InputOf<Content> = { readonly [Name in keyof Content]?: Content[Name] | null };

/** Input for an existing entry. */
export type ChangeOf<Content> = InputOf<Content> & {
  /** The new position; absent when it stays. */
  readonly position?: number | null;
  /** The version that the caller has read. */
  readonly changeVersion?: number | bigint | null;
};

export const newZoneAcl: ZoneAclContent = {
  name: null,
  sourceZoneUuid: null,
  sourceAdaptorUuid: null,
  destinationZoneUuid: null,
  destinationAdaptorUuid: null,
  domainVersionUuid: null,
  properties: null,
  get: null,
  post: null,
  put: null,
  delete: null,
  active: true,
};

export const newOperationalAcl: OperationalAclContent = {
  name: null,
  sourceZoneUuid: null,
  sourceAdaptorUuid: null,
  domainVersionUuid: null,
  post: null,
  delete: null,
  active: true,
};

/** The base with the values of the input: a new entry for POST and PUT, the existing one for PATCH. */
export const applyInput = <Content extends object>(base: Content, input: InputOf<Content>): Content => {
  const content = { ...base };
  for (const name of Object.keys(base) as (keyof Content)[]) content[name] = input[name] ?? base[name];
  return content;
};

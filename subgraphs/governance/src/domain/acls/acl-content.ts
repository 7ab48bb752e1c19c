import type { AclEffect, OperationalEntry } from '@fds/governance-rules';

/** What a caller says of an entry of a zone's chain. A null selector means any, a null action is not spoken of. */
export interface ZoneAclContent {
  readonly name: string | null;
  readonly sourceZoneUuid: string | null;
  readonly sourceAdaptorUuid: string | null;
  readonly destinationZoneUuid: string | null;
  readonly destinationAdaptorUuid: string | null;
  readonly domainVersionUuid: string | null;
  /** Null: the whole message. */
  readonly properties: readonly string[] | null;
  readonly get: AclEffect | null;
  readonly post: AclEffect | null;
  readonly put: AclEffect | null;
  readonly delete: AclEffect | null;
  readonly active: boolean;
}

/** What a caller says of an entry of the operational chain: all that the rules know of it but its place, and a name. */
export type OperationalAclContent = Omit<OperationalEntry, 'uuid' | 'position'> & { readonly name: string | null };

/** As it comes; null and absent are the same. */
export type InputOf<Content> = { readonly [Name in keyof Content]?: Content[Name] | null };

/** Of an entry that exists. */
export type ChangeOf<Content> = InputOf<Content> & {
  /** Where it is to be; absent: it stays. */
  readonly position?: number | null;
  /** What the caller has read. */
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

/** The base with what the input says: a new entry for POST and PUT, the present one for PATCH. */
export const applyInput = <Content extends object>(base: Content, input: InputOf<Content>): Content => {
  const content = { ...base };
  for (const name of Object.keys(base) as (keyof Content)[]) content[name] = input[name] ?? base[name];
  return content;
};

import { resourceFault, type Grant, type GrantedAction } from '@fds/access-rules';
import type { FaultList } from '@fds/errors';

export type HolderType = 'USER' | 'GROUP' | 'ROLE';

/** A permission as a resource (docs/reference/access.md#permissions). */
export interface Permission extends Grant {
  readonly uuid: string;
  readonly zoneUuid: string;
  readonly type: 'ALLOW';
  readonly holderType: HolderType;
  readonly holderUuid: string;
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
  readonly changeVersion: number;
}

export interface PermissionInput {
  readonly action?: GrantedAction | null;
  readonly resource?: string | null;
  readonly holderType?: HolderType | null;
  readonly holderUuid?: string | null;
  readonly changeVersion?: number | bigint | null;
}

/** Content of a permission. */
export type PermissionSettings = Pick<Permission, 'action' | 'resource' | 'holderType' | 'holderUuid'>;

const checkResource = (pointer: string, resource: string, faults: FaultList): void => {
  const fault = resourceFault(resource);
  if (fault !== undefined) faults.add(pointer, 'WRONG_FORMAT', `a resource ${fault}`);
};

/** Undefined when something is missing. */
export const readPermission = (input: PermissionInput, faults: FaultList): PermissionSettings | undefined => {
  const { action, resource, holderType, holderUuid } = input;
  for (const [name, value] of Object.entries({ action, resource, holderType, holderUuid })) {
    if (value === null || value === undefined) faults.add(`/${name}`, 'REQUIRED', `${name} is required`);
  }
  if (resource) checkResource('/resource', resource, faults);
  else if (resource === '') faults.add('/resource', 'WRONG_FORMAT', 'a resource is a path and starts with "/"');
  return action && resource && holderType && holderUuid ? { action, resource, holderType, holderUuid } : undefined;
};

/** Normalises a resource: removes the prefix, so that the same grant has one spelling. */
export const normalResource = (resource: string): string => resource.replace(/^\/api(?=\/)/, '');

/** Key that distinguishes the grants of a holder. */
export const grantKey = ({ action, resource }: Grant): string => `${action} ${normalResource(resource)}`;

/** Reads the grants in a role's input, without duplicates. */
export const readGrants = (grants: readonly Grant[], faults: FaultList): Grant[] => {
  for (const [index, { resource }] of grants.entries()) {
    checkResource(`/permissions/${index}/resource`, resource, faults);
  }
  return [
    ...new Map(grants.map(({ action, resource }) => [grantKey({ action, resource }), { action, resource }])).values(),
  ];
};

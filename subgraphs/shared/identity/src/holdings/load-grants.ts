import type { PrismaTransaction } from '@fds/database';
import type { Grant, GrantedAction } from '@fds/access-rules';

/** The holder of a permission. */
export type HolderType = 'USER' | 'GROUP' | 'ROLE';

/** A grant, and its source. */
export interface SourcedGrant extends Grant {
  readonly source: { readonly type: HolderType; readonly uuid: string; readonly name: string };
}

/** A holder of permissions and what it is called. */
export interface GrantHolder {
  readonly uuid: string;
  readonly name: string;
}

/** The grants of the holders, by holder, then in the order of granting. */
export const loadGrants = async (tx: PrismaTransaction, holders: readonly GrantHolder[]): Promise<SourcedGrant[]> => {
  const names = new Map(holders.map(({ uuid, name }) => [uuid, name]));
  const rows = await tx.permission.findMany({
    where: { holderUuid: { in: [...names.keys()] } },
    orderBy: [{ holderUuid: 'asc' }, { uuid: 'asc' }],
    select: { action: true, resource: true, holderType: true, holderUuid: true },
  });
  return rows.map(({ action, resource, holderType, holderUuid }) => ({
    action: action as GrantedAction,
    resource,
    source: { type: holderType as HolderType, uuid: holderUuid, name: names.get(holderUuid) ?? '' },
  }));
};

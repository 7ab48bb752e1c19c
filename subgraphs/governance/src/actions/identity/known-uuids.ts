import type { PrismaTransaction } from '@fds/database';
import type { FaultList } from '@fds/errors';

/** A uuid in a body, with its place. */
export interface NamedUuid {
  readonly uuid: string;
  readonly pointer: string;
}

/** The uuids of a list, each with its index. */
export const listedAt = (pointer: string, uuids: readonly string[] | null): NamedUuid[] =>
  (uuids ?? []).map((uuid, index) => ({ uuid, pointer: `${pointer}/${index}` }));

type Kind = 'role' | 'group' | 'user';
type Find = (
  tx: PrismaTransaction,
  where: { readonly uuid: { in: string[] }; readonly zoneUuid: string },
) => Promise<{ readonly uuid: string }[]>;

const finders: Readonly<Record<Kind, Find>> = {
  role: (tx, where) => tx.role.findMany({ where, select: { uuid: true } }),
  group: (tx, where) => tx.userGroup.findMany({ where, select: { uuid: true } }),
  user: (tx, where) => tx.zoneUser.findMany({ where, select: { uuid: true } }),
};

/** Returns each uuid once, with the place of its first occurrence. A uuid that the zone does not have becomes a fault. */
export const readKnownUuids = async (
  tx: PrismaTransaction,
  kind: Kind,
  zoneUuid: string,
  named: readonly NamedUuid[],
  faults: FaultList,
): Promise<NamedUuid[]> => {
  const uuids = [...new Set(named.map(({ uuid }) => uuid))];
  const found = await finders[kind](tx, { uuid: { in: uuids }, zoneUuid });
  const known = new Set(found.map(({ uuid }) => uuid));
  const places = new Map<string, NamedUuid>();
  for (const place of named) {
    const { uuid, pointer } = place;
    if (!known.has(uuid)) faults.add(pointer, 'UNKNOWN_REFERENCE', `the zone has no ${kind} ${uuid}`);
    else if (!places.has(uuid)) places.set(uuid, place);
  }
  return [...places.values()];
};

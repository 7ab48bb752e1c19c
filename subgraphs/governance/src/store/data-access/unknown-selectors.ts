import type { AccessRule } from '@fds/data-access';
import type { PrismaTransaction } from '@fds/database';
import type { FaultList } from '@fds/resource-rules';

interface Place {
  readonly uuid: string;
  readonly pointer: string;
}

type Find = (tx: PrismaTransaction, uuids: string[]) => Promise<readonly { readonly uuid: string }[]>;

interface Selector {
  readonly what: string;
  readonly find: Find;
  readonly places: (rule: AccessRule, at: string) => readonly Place[];
}

const placeOf =
  (member: 'zoneUuid' | 'adaptorUuid' | 'domainUuid' | 'domainVersionUuid'): Selector['places'] =>
  (rule, at) => {
    const uuid = rule[member];
    return uuid === null ? [] : [{ uuid, pointer: `${at}/${member}` }];
  };

const selectors: readonly Selector[] = [
  {
    what: 'zone',
    places: placeOf('zoneUuid'),
    find: (tx, uuids) => tx.zone.findMany({ where: { uuid: { in: uuids } }, select: { uuid: true } }),
  },
  {
    what: 'adaptor',
    places: placeOf('adaptorUuid'),
    find: (tx, uuids) => tx.adaptor.findMany({ where: { uuid: { in: uuids } }, select: { uuid: true } }),
  },
  {
    what: 'domain',
    places: placeOf('domainUuid'),
    find: (tx, uuids) => tx.domain.findMany({ where: { uuid: { in: uuids } }, select: { uuid: true } }),
  },
  {
    what: 'domain version',
    places: placeOf('domainVersionUuid'),
    find: (tx, uuids) => tx.domainVersion.findMany({ where: { uuid: { in: uuids } }, select: { uuid: true } }),
  },
  {
    what: 'data record',
    places: ({ drUuids }, at) => (drUuids ?? []).map((uuid, index) => ({ uuid, pointer: `${at}/drUuids/${index}` })),
    find: (tx, uuids) => tx.dataRecord.findMany({ where: { uuid: { in: uuids } }, select: { uuid: true } }),
  },
];

/** Adds a fault for every uuid that rules name and that does not exist. */
export const findUnknownSelectors = async (
  tx: PrismaTransaction,
  rules: readonly { readonly rule: AccessRule; readonly at: string }[],
  faults: FaultList,
): Promise<void> => {
  for (const { what, find, places } of selectors) {
    const named = rules.flatMap(({ rule, at }) => places(rule, at));
    if (named.length === 0) continue;
    const found = await find(tx, [...new Set(named.map(({ uuid }) => uuid))]);
    const known = new Set(found.map(({ uuid }) => uuid));
    for (const { uuid, pointer } of named) {
      if (!known.has(uuid)) faults.add(pointer, 'UNKNOWN_REFERENCE', `there is no ${what} ${uuid}`);
    }
  }
};

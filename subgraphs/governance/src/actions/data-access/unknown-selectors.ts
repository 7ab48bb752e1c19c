import type { AccessRule, DataAccess } from '@fds/access-rules';
import type { PrismaTransaction } from '@fds/database';
import type { FaultList } from '@fds/errors';
import { findSeenRecords } from '../../store/acls/find-seen-records.js';

interface Place {
  readonly uuid: string;
  readonly pointer: string;
}

/** The author of rules. */
export interface RuleAuthor {
  /** The data that rules show to the author; undefined when these are all data. */
  readonly dataAccess: DataAccess | undefined;
  /** Existing rules of the role. Their records may stay, even if these are hidden or no longer exist. */
  readonly present: readonly AccessRule[];
}

type Find = (
  tx: PrismaTransaction,
  uuids: string[],
  author: RuleAuthor,
) => Promise<readonly { readonly uuid: string }[]>;

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
    find: async (tx, uuids, { dataAccess, present }) => {
      const kept = present.flatMap(({ drUuids }) => drUuids ?? []);
      return [...kept, ...(await findSeenRecords(tx, dataAccess, uuids))].map((uuid) => ({ uuid }));
    },
  },
];

/** Adds a fault for every uuid in rules that does not exist. A record that the author may not see counts as missing. */
export const findUnknownSelectors = async (
  tx: PrismaTransaction,
  rules: readonly { readonly rule: AccessRule; readonly at: string }[],
  faults: FaultList,
  author: RuleAuthor,
): Promise<void> => {
  for (const { what, find, places } of selectors) {
    const named = rules.flatMap(({ rule, at }) => places(rule, at));
    if (named.length === 0) continue;
    const found = await find(tx, [...new Set(named.map(({ uuid }) => uuid))], author);
    const known = new Set(found.map(({ uuid }) => uuid));
    for (const { uuid, pointer } of named) {
      if (!known.has(uuid)) faults.add(pointer, 'UNKNOWN_REFERENCE', `there is no ${what} ${uuid}`);
    }
  }
};

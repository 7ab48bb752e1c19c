import { allowsAllData, type AccessRule } from '@fds/access-rules';
import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import { loadDataOfPeople, loadDataOfPerson, loadDataOfRole, type DataOfPeople } from './data-of-people.js';
import { rulesAllowMore, type RuleLists } from './data-rules.js';

/** A change that may show data to people. */
export interface ShowingChange {
  /** The person who makes the change. */
  readonly actorUuid: string;
  /** The zone whose users, groups, roles, permissions or rules change. */
  readonly zoneUuid: string;
  /** The role whose rules change. The data that it shows is compared too, also while it has no members. */
  readonly roleUuid?: string;
  /** The zone is new: it has no data, so that access to its data shows nothing. */
  readonly isNewZone?: boolean;
}

/** Advisory lock. Two changes can show more together than each alone: the second one sees the first. */
const showingLock = 72_707_374;

const ofZone = (zoneUuid: string): AccessRule => ({
  effect: 'ALLOW',
  actions: null,
  zoneUuid,
  adaptorUuid: null,
  domainUuid: null,
  domainVersionUuid: null,
  properties: null,
  drUuids: null,
});

const refuse = (detail: string): AppError =>
  new AppError('FORBIDDEN', 'the change would show data that you may not see', {
    errors: [{ pointer: '', code: 'NOT_HELD', detail }],
  });

const isAllData = (data: RuleLists): boolean => data.some(allowsAllData);

/** People with the same holders share their rules: each is written out once. */
const createTexts = (): ((data: RuleLists) => string) => {
  const texts = new Map<RuleLists, string>();
  return (data) => {
    const text = texts.get(data) ?? JSON.stringify(data);
    texts.set(data, text);
    return text;
  };
};

/** The earlier data of people whom the change made users of the zone: the data that their other zones give them. */
const dataBeforeJoining = (
  tx: PrismaTransaction,
  zoneUuid: string,
  personUuids: readonly string[],
): Promise<DataOfPeople> =>
  personUuids.length === 0
    ? Promise.resolve(new Map<string, RuleLists>())
    : loadDataOfPeople(tx, { personUuids, withoutZoneUuid: zoneUuid, memberships: 'active' });

/**
 * Does the work unless it gives a person data that neither this person nor the actor had before
 * (docs/reference/data-access.md: a caller
 * who widens data access must have access to that data). This is the one place that decides so: for users, groups, roles,
 * permissions, data access rules, and zones that come and go. It compares the data of every user of the zone before and after
 * the work, the actor included. A membership that is activated again may show its earlier data.
 *
 * @throws AppError FORBIDDEN; the transaction is to be rolled back
 */
export const showNoMore = async <T>(
  tx: PrismaTransaction,
  { actorUuid, zoneUuid, roleUuid, isNewZone = false }: ShowingChange,
  work: () => Promise<T>,
): Promise<T> => {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${showingLock})`;
  const own = await loadDataOfPerson(tx, actorUuid);
  if (isAllData(own)) return work();
  const before = await loadDataOfPeople(tx, { zoneUuid, memberships: 'active' });
  const withDeactivated = await loadDataOfPeople(tx, { zoneUuid, memberships: 'all' });
  const roleBefore = roleUuid === undefined ? [] : await loadDataOfRole(tx, roleUuid);
  const granted = isNewZone ? [...own, [ofZone(zoneUuid)]] : own;

  const result = await work();

  const after = await loadDataOfPeople(tx, { zoneUuid, personUuids: [...before.keys()], memberships: 'active' });
  const newcomers = [...after.keys()].filter((uuid) => !before.has(uuid));
  const beforeJoining = await dataBeforeJoining(tx, zoneUuid, newcomers);
  const textOf = createTexts();
  const decided = new Set<string>();
  const requireNoMore = async (now: RuleLists, had: readonly RuleLists[], detail: string): Promise<void> => {
    const key = [now, ...had].map(textOf).join(' ');
    if (decided.has(key)) return;
    decided.add(key);
    if (await rulesAllowMore(tx, now, [...had.flat(), ...granted])) throw refuse(detail);
  };
  for (const [personUuid, now] of after) {
    const had = before.get(personUuid) ?? beforeJoining.get(personUuid) ?? [];
    if (textOf(now) === textOf(had)) continue;
    await requireNoMore(
      now,
      [had, withDeactivated.get(personUuid) ?? []],
      'a user of the zone would have data that neither they nor you have had',
    );
  }
  if (roleUuid !== undefined)
    await requireNoMore(
      await loadDataOfRole(tx, roleUuid),
      [roleBefore],
      'the role would show data that neither it nor you have had',
    );
  return result;
};

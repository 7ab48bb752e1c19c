import { eventually } from '@fds/testing';
import type { JsonObject, JsonValue } from '@fds/adaptor-sdk';
import { requireStatus } from '../../harness/catalogue.js';
import type { Door } from '../../doors/open-doors.js';
import { type CaseWorld, pathOf } from './case-world.js';
import type { CaseState, Expected, Side } from './oracle.js';
import type { PlannedCase } from './plan-case.js';

/** A job as the service shows it. */
export interface Job {
  readonly uuid: string;
  readonly preview: boolean;
  readonly status: string;
  readonly message: string | null;
  readonly progress: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly byProperty: readonly { readonly property: string; readonly differing: number }[];
}

interface ShownPair {
  readonly property: string;
  readonly adaptorUuid: string;
  readonly otherAdaptorUuid: string | null;
  readonly chosen: string | null;
  readonly value?: JsonValue;
  readonly otherValue?: JsonValue;
}
interface ShownDifference {
  readonly drKey: { readonly id?: number } | null;
  readonly kind: string;
  readonly properties: readonly ShownPair[];
}

/** The messages of a job that the adaptors of a case applied. */
export const messagesOf = (world: CaseWorld, { domain, adaptors }: PlannedCase, { uuid }: Job) =>
  adaptors.flatMap((to) =>
    (world.pool[to]?.applied(domain) ?? [])
      .filter(({ event }) => event.transactionUuid === uuid)
      .map((message) => ({ to, ...message })),
  );

const sortedBy = <Value>(list: readonly Value[]): readonly Value[] =>
  list.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

export const same = (what: string, actual: unknown, expected: unknown): readonly string[] => {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  return left === right ? [] : [`${what}: ${left}, expected ${right}`];
};

/** A job of a case, with the result that the specification demands. */
interface Judged {
  readonly world: CaseWorld;
  readonly planned: PlannedCase;
  readonly job: Job;
  readonly expected: Expected;
}

const sideUuid = ({ pool }: CaseWorld, side: Side): string | null => (side === null ? null : (pool[side]?.uuid ?? ''));

const differencesSeenBy = async ({ world, planned, job }: Judged, door: Door): Promise<readonly ShownDifference[]> => {
  const path = `${pathOf(world, planned.here)}/reconciliations/${job.uuid}/differences?size=200`;
  const { body } = requireStatus(await door.rest<{ differences: readonly ShownDifference[] }>('GET', path), 200);
  return body.differences;
};

/** @param hides whether a caller may not see the value of a side */
const shownAs = (
  { world, planned, expected }: Judged,
  hides: (side: Side, property: string) => boolean,
  isShown: (id: number) => boolean,
  isKeyShown: boolean,
): readonly unknown[] =>
  sortedBy(
    expected.differences
      .filter(({ id }) => isShown(id))
      .map(({ id, kind, pairs }) => ({
        id: isKeyShown ? id : null,
        kind,
        pairs: sortedBy(
          pairs.map(({ property, other, chosen, value, otherValue }) => {
            const [own, theirs] = [hides(planned.here, property), hides(other, property)];
            const values = own && theirs ? {} : { value: own ? null : value, otherValue: theirs ? null : otherValue };
            return { property, other: sideUuid(world, other), chosen, ...values };
          }),
        ),
      })),
  );

const seenAs = (differences: readonly ShownDifference[]): readonly unknown[] =>
  sortedBy(
    differences.map(({ drKey, kind, properties }) => ({
      id: drKey?.id ?? null,
      kind,
      pairs: sortedBy(
        properties.map(({ property, otherAdaptorUuid: other, chosen, value, otherValue }) => ({
          property,
          other,
          chosen,
          ...(value === undefined ? {} : { value, otherValue }),
        })),
      ),
    })),
  );

export const judgeJob = async (judged: Judged, state: CaseState): Promise<readonly string[]> => {
  const { world, planned, job, expected } = judged;
  const sorted = (of: Readonly<Record<string, number>>) => sortedBy(Object.entries(of));
  const { sent: _, ...counts } = job.counts;
  const { sent: __, ...expectedCounts } = expected.counts;
  const linkedBy = (id: number, place: number): boolean => state.rows.get(id)?.get(place)?.isLinked === true;
  const everybody = () => true;
  const nothing = () => false;
  /** A federated record is seen through the links that may be seen, and in the system that is compared. */
  const isSeenWithoutSecond = (id: number): boolean => {
    const difference = expected.differences.find((each) => each.id === id);
    const isHeldHere = planned.here !== 1 && difference?.kind !== 'MISSING_HERE';
    return planned.isStored || isHeldHere || planned.adaptors.some((place) => place !== 1 && linkedBy(id, place));
  };
  const judgeReaders = async (): Promise<readonly string[]> => [
    ...same(
      'differences without the property a',
      seenAs(await differencesSeenBy(judged, world.readers.WITHOUT_A)),
      shownAs(judged, (_side, property) => property === 'a', everybody, true),
    ),
    ...same(
      'differences without the second adaptor',
      seenAs(await differencesSeenBy(judged, world.readers.WITHOUT_SECOND)),
      shownAs(judged, (side) => side === 1, isSeenWithoutSecond, true),
    ),
    ...same(
      'differences without values',
      seenAs(await differencesSeenBy(judged, world.readers.WITHOUT_VALUES)),
      shownAs(judged, everybody, everybody, false),
    ),
  ];
  return [
    ...same('status', [job.status, job.status === 'DONE' ? null : job.message], ['DONE', null]),
    ...same('progress', job.progress, 1),
    ...same('counts', sorted(counts), sorted(expectedCounts)),
    ...same(
      'byProperty',
      sorted(Object.fromEntries(job.byProperty.map(({ property, differing }) => [property, differing]))),
      sorted(expected.byProperty),
    ),
    ...same(
      'differences',
      seenAs(await differencesSeenBy(judged, world.doors.dgs)),
      shownAs(judged, nothing, everybody, true),
    ),
    ...(job.preview ? await judgeReaders() : []),
  ];
};

export const judgeMessages = async (
  { world, planned, job, expected }: Judged,
  state: CaseState,
): Promise<readonly string[]> => {
  const sent = job.counts['sent'] ?? 0;
  const toStore = expected.messages.filter(({ to }) => to === null).length;
  const arrived = await eventually(
    () => {
      const messages = messagesOf(world, planned, job);
      if (messages.length < sent - toStore) throw new Error(`${messages.length} of ${sent - toStore} messages arrived`);
      return messages;
    },
    { deadlineMs: 20_000, intervalMs: 10 },
  ).catch(() => messagesOf(world, planned, job));
  const faults = [...same('sent', sent, arrived.length + toStore)];
  const uuidOf = (side: Side | 'ANY') => (side === 'ANY' ? side : sideUuid(world, side));
  // a change of the store is routed to adaptors, as every other change is
  if (toStore > 0) return faults;
  faults.push(
    ...same(
      'messages',
      sortedBy(
        arrived.map(({ id, to, event, json }) => ({
          id,
          to,
          from: expected.messages.some((each) => each.from === 'ANY' && each.id === id && each.to === to)
            ? 'ANY'
            : event.sourceAdaptorUuid,
          values: sortedBy(Object.entries(json).filter(([name]) => event.changed?.includes(name) !== false)),
        })),
      ),
      sortedBy(
        expected.messages.map(({ id, to, from, values }) => ({
          id,
          to,
          from: uuidOf(from),
          values: sortedBy(Object.entries(values)),
        })),
      ),
    ),
  );
  for (const place of planned.adaptors) {
    const after = new Map(
      [...state.rows].flatMap(([id, at]) => {
        const held = at.get(place)?.held;
        return held === undefined ? [] : [[id, held] as const];
      }),
    );
    for (const { id, to, values } of expected.messages)
      if (to === place) after.set(id, { ...after.get(id), id, ...values });
    const table = new Map([...(world.pool[place]?.table(planned.domain) ?? [])].filter(([id]) => state.rows.has(id)));
    const rowsOf = (rows: ReadonlyMap<number, JsonObject>) =>
      sortedBy([...rows].map(([id, row]) => [id, sortedBy(Object.entries(row))]));
    faults.push(...same(`rows of ${place}`, rowsOf(table), rowsOf(after)));
  }
  return faults;
};

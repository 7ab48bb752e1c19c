import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, eventually, type Random } from '@fds/testing';
import { requireStatus, rootZone } from '../../harness/catalogue.js';
import type { Client } from '../../harness/client.js';
import type { Leftovers } from '../../harness/leftovers.js';
import { type ContactChange, contactProperties } from '../two-way/contact-database.js';
import { differingRecords, openContactStage, type ContactStage, readAll, stewardOf } from '../two-way/contact-stage.js';
import { openFaultyMariadb, openFaultyPostgresql, openFaultySqlite, type FaultyDatabase } from './faulty-databases.js';

export interface MixedRun {
  readonly minutes: number;
  readonly seed: number;
  /** After the last fault: the longest time in which no table changes before all are equal. */
  readonly deadlineMs: number;
}

export interface MixedResult {
  readonly edits: number;
  /** Edits that a fault refused. */
  readonly refusedEdits: number;
  /** Numbers of faults by database and kind. */
  readonly faults: Readonly<Record<string, number>>;
  /** Issues that were settled with a retry. */
  readonly settledIssues: number;
  readonly rows: number;
  readonly secondsUntilEqual: number;
  /** A text for each record that differs at the end. */
  readonly differences: readonly string[];
}

const sharedRows = 200;
const rowsOfEditor = 1_000_000;

/** Settles the open issues of the zone with a retry, as an operator does. @returns their number */
const settleIssues = async (client: Client): Promise<number> => {
  const zone = await rootZone(client);
  const path = `/zones/${zone}/issues`;
  interface Listed {
    readonly issues: readonly { readonly uuid: string; readonly changeVersion: number }[];
  }
  const { issues } = requireStatus(await client.rest<Listed>('GET', `${path}?filters=status:OPEN&size=200`), 200).body;
  for (const { uuid, changeVersion } of issues)
    // a refusal is expected when the issue has just changed: the next round reads it again
    await client.rest('PATCH', `${path}/${uuid}`, { status: 'CLOSED', retry: true, changeVersion });
  return issues.length;
};

interface EditCounts {
  edits: number;
  refused: number;
}

/** Edits random rows of one database until the end. */
const editUntil = async (
  { database }: FaultyDatabase,
  index: number,
  { random, counts, isOver }: { readonly random: Random; readonly counts: EditCounts; readonly isOver: () => boolean },
): Promise<void> => {
  let numbers = 0;
  const own: number[] = [];
  const valuesOf = (names: readonly (keyof ContactChange)[]): ContactChange =>
    Object.fromEntries(
      names.map((name) => [
        name,
        name === 'n' ? String((numbers += 3) + index) : `${name}${(numbers += 3)} of ${index}`,
      ]),
    );
  const edit = async (): Promise<void> => {
    const choice = random.next();
    if (choice < 0.05) {
      const id = (index + 1) * rowsOfEditor + own.length + 1;
      own.push(id);
      await database.insert(id, valuesOf(contactProperties));
    } else if (choice < 0.07 && own.length > 0) await database.delete(random.pick(own));
    else {
      const id = random.chance(0.8) || own.length === 0 ? 1 + random.below(sharedRows) : random.pick(own);
      await database.update(id, valuesOf([random.pick(contactProperties)]));
    }
  };
  while (!isOver()) {
    try {
      await edit();
      counts.edits += 1;
    } catch {
      counts.refused += 1;
    }
    await sleep(random.below(250));
  }
};

/** One fault after another in one database, with pauses. Ends the last one. */
const disturbUntil = async (
  { database, faults }: FaultyDatabase,
  {
    random,
    isOver,
    begun,
  }: { readonly random: Random; readonly isOver: () => boolean; readonly begun: Map<string, number> },
): Promise<void> => {
  await sleep(2_000 + random.below(5_000));
  while (!isOver()) {
    const fault = random.pick(faults);
    const end = await fault.begin();
    const name = `${database.kind} ${fault.kind}`;
    begun.set(name, (begun.get(name) ?? 0) + 1);
    await sleep(1_000 + random.below(5_000));
    await end();
    await sleep(random.below(8_000));
  }
};

const describe = (stage: ContactStage, id: number, all: Awaited<ReturnType<typeof readAll>>): string =>
  [
    `record ${id}`,
    ...all.map((rows, index) => `  in ${index}: ${JSON.stringify(rows.get(id) ?? null)}`),
    ...stage.wires
      .trace(id)
      .slice(-40)
      .map((line) => `  ${line}`),
  ].join('\n');

/**
 * Edits three databases without a pause while each has one fault after another. Then the faults are over, and an operator
 * settles the issues. Resolves when the databases are equal and silent, or at the deadline with the differences.
 */
export const runMixed = async (leftovers: Leftovers, { minutes, seed, deadlineMs }: MixedRun): Promise<MixedResult> => {
  const random = createRandom(seed);
  const faulty = [
    openFaultySqlite(leftovers),
    await openFaultyPostgresql(leftovers),
    await openFaultyMariadb(leftovers),
  ];
  const stage = await openContactStage(leftovers, {
    domainType: 'FEDERATED',
    random,
    open: faulty.map(
      ({ database }) =>
        async () =>
          database,
    ),
  });
  for (let id = 1; id <= sharedRows; id += 1)
    await faulty[0]?.database.insert(id, { a: `a of ${id}`, b: 'b', c: 'c', n: String(id) });
  const isEqual = async (): Promise<void> => {
    const differing = differingRecords(await readAll(stage));
    if (differing.length > 0)
      throw new Error(
        [
          `${differing.length} records differ, seed ${seed}`,
          ...stage.exchanging.map(({ process }) => process.process().output().slice(-2_000)),
        ].join('\n'),
      );
  };
  await eventually(isEqual, { deadlineMs, intervalMs: 1_000 });

  const endMs = performance.now() + minutes * 60_000;
  const isOver = (): boolean => performance.now() > endMs;
  const counts: EditCounts = { edits: 0, refused: 0 };
  const begun = new Map<string, number>();
  await Promise.all(
    faulty.flatMap((each, index) => [
      editUntil(each, index, { random: createRandom(seed + 10 + index), counts, isOver }),
      disturbUntil(each, { random: createRandom(seed + 20 + index), isOver, begun }),
    ]),
  );

  const overMs = performance.now();
  let settledIssues = 0;
  let [content, changedMs] = ['', overMs];
  // a database with many faults may have thousands of events to catch up with: as long as rows change, it does so
  while (performance.now() - changedMs < deadlineMs) {
    settledIssues += await settleIssues(await stewardOf(stage.service));
    const found = await readAll(stage);
    if (differingRecords(found).length === 0 && stage.wires.quietMs() > 3_000) break;
    const present = JSON.stringify(found.map((rows) => [...rows]));
    if (present !== content) [content, changedMs] = [present, performance.now()];
    await sleep(2_000);
  }
  const all = await readAll(stage);
  return {
    edits: counts.edits,
    refusedEdits: counts.refused,
    faults: Object.fromEntries(begun),
    settledIssues,
    rows: all[0]?.size ?? 0,
    secondsUntilEqual: Math.round((performance.now() - overMs) / 1000),
    differences: differingRecords(all).map((id) => describe(stage, id, all)),
  };
};

import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, eventually, type Random } from '@fds/testing';
import { requireStatus, rootZone } from '../../harness/catalogue.js';
import type { Client } from '../../harness/client.js';
import type { Leftovers } from '../../harness/leftovers.js';
import { contactProperties, type ContactChange, type ContactServers, type DatabaseChoice } from './contact-database.js';
import { differingRecords, openContactStage, readAll, stewardOf, type ContactStage } from './contact-stage.js';
import { judgeHistory, type MadeEdit, type RecordEvidence } from './edit-history.js';
import { planHistories, type PlannedEdit } from './plan-histories.js';
import type { WireNotes } from './watch-wires.js';

export interface TwoWayRun {
  readonly databases: readonly DatabaseChoice[];
  readonly domainType: 'FEDERATED' | 'SERVICE_DATA_STORE';
  /** Number of records; each has its own history. */
  readonly records: number;
  /** Number of kills with SIGKILL during the edits: adaptors and the service in turn. */
  readonly kills: number;
  /** Period in which the histories begin. */
  readonly windowMs: number;
  readonly seed: number;
  /** For the time after the last edit. */
  readonly deadlineMs: number;
}

export interface TwoWayResult {
  readonly histories: number;
  readonly edits: number;
  readonly kills: number;
  /** Effects that the service names as overridden. */
  readonly overridden: number;
  /** Data issues that are open at the end. */
  readonly issues: number;
  /** False: events were still exchanged at the deadline. */
  readonly silent: boolean;
  readonly seconds: number;
  /** A text for each record that differs, lost an edit without a trace, or has a value that no edit has set. */
  readonly faults: readonly string[];
}

const quietForMs = 2_500;

interface CrossedEvent {
  readonly transactionUuid: string;
  readonly overriddenBy: readonly { readonly properties: readonly string[] }[];
}

/** @param beginMs the moment of the process clock to which the times of edits refer */
const evidenceOf = async (client: Client, wires: WireNotes, id: number, beginMs: number): Promise<RecordEvidence> => {
  const overridden = new Map<string, CrossedEvent['overriddenBy'][number][]>();
  for (const record of wires.recordsOf(id)) {
    const { body } = requireStatus(
      await client.rest<{ dataEvents: readonly CrossedEvent[] }>('GET', `/drs/${record}/data-events?size=200`),
      200,
    );
    for (const { transactionUuid, overriddenBy } of body.dataEvents)
      overridden.set(transactionUuid, [...(overridden.get(transactionUuid) ?? []), ...overriddenBy]);
  }
  return {
    reportsOf: (database, property, value) => wires.reportsOf(database, id, property, value),
    deletionsOf: (database, sinceMs) => wires.deletionsOf(database, id, beginMs + sinceMs),
    isSentOn: (property, value) => wires.isSentOn(id, property, value),
    isSentDeletion: (database, sinceMs) => wires.isSentDeletion(database, id, beginMs + sinceMs),
    isOverridden: (transactionUuid, property) =>
      (overridden.get(transactionUuid) ?? []).some(
        ({ properties }) => properties.length === 0 || property === undefined || properties.includes(property),
      ),
  };
};

/** Kills adaptors and the service in turn, each at a random moment, and starts them again. */
const killInTurn = async ({ service, exchanging }: ContactStage, run: TwoWayRun, random: Random): Promise<void> => {
  for (let kill = 0; kill < run.kills; kill += 1) {
    await sleep(random.below((2 * run.windowMs) / run.kills));
    const victim = exchanging[kill % (exchanging.length + 1)];
    if (victim === undefined) {
      await service.kill();
      await service.start();
    } else {
      await victim.process.kill();
      victim.process.start();
    }
  }
};

/**
 * Random edits of the same records in several databases while adaptors and the service are killed. Resolves when the
 * databases are equal and silent, or at the deadline, with everything that is wrong.
 */
export const runTwoWay = async (
  leftovers: Leftovers,
  servers: ContactServers,
  run: TwoWayRun,
): Promise<TwoWayResult> => {
  const { records, windowMs, seed, deadlineMs } = run;
  const random = createRandom(seed);
  const startedMs = performance.now();
  const stage = await openContactStage(leftovers, {
    domainType: run.domainType,
    random,
    open: run.databases.map((choice) => () => servers.open(leftovers, choice)),
  });
  const { service, exchanging, wires } = stage;
  const histories = planHistories(random, { records, databases: exchanging.length, windowMs });
  const made = new Map<number, MadeEdit[]>(histories.map(({ id }) => [id, []]));
  let edits = 0;
  let numbers = 0;
  const newValues = (properties: PlannedEdit['properties'], database: number): ContactChange =>
    Object.fromEntries(
      properties.map((name) => [
        name,
        name === 'n' ? String((numbers += 1)) : `${name}${(numbers += 1)} of ${database}`,
      ]),
    );

  await Promise.all(
    histories
      .filter(({ shared }) => shared)
      .map(async ({ id }) => {
        const values = newValues(contactProperties, 0);
        await exchanging[0]?.database.insert(id, values);
        made.get(id)?.push({ atMs: -1, database: 0, kind: 'INSERT', values, before: undefined });
      }),
  );
  await eventually(
    async () => {
      const differing = differingRecords(await readAll(stage));
      if (differing.length > 0) throw new Error(`${differing.length} records have not arrived, seed ${seed}`);
    },
    { deadlineMs, intervalMs: 300 },
  );

  const beginMs = performance.now();
  const make = async (id: number, { atMs, database: index, kind, properties }: PlannedEdit): Promise<void> => {
    const database = exchanging[index]?.database;
    await sleep(Math.max(0, atMs - (performance.now() - beginMs)));
    const values = newValues(properties, index);
    const startedAtMs = performance.now() - beginMs;
    const before =
      kind === 'UPDATE'
        ? await database?.update(id, values)
        : kind === 'DELETE'
          ? await database?.delete(id)
          : undefined;
    const happened = kind === 'INSERT' ? await database?.insert(id, values) : before !== undefined;
    if (happened !== true) return;
    edits += 1;
    made.get(id)?.push({ atMs: Math.floor(startedAtMs), database: index, kind, values, before });
  };
  await Promise.all([
    killInTurn(stage, run, createRandom(seed + 1)),
    ...histories.map(async ({ id, edits: planned }) => {
      for (const edit of planned) await make(id, edit);
    }),
  ]);

  const settled = await eventually(
    async () => {
      const all = await readAll(stage);
      const differing = differingRecords(all);
      if (differing.length > 0 || wires.quietMs() < quietForMs) throw new Error('not settled');
      return true;
    },
    { deadlineMs, intervalMs: 300 },
  ).catch(() => false);

  const all = await readAll(stage);
  const differing = new Set(differingRecords(all));
  const client = await stewardOf(service);
  const faults: string[] = [];
  let overridden = 0;
  for (const { id } of histories) {
    const final = all[0]?.get(id);
    const ofRecord = made.get(id) ?? [];
    const wrong = differing.has(id) ? ['the databases differ'] : [];
    if (!differing.has(id)) {
      const judgement = judgeHistory(ofRecord, final, await evidenceOf(client, wires, id, beginMs));
      overridden += judgement.overridden;
      wrong.push(...judgement.faults);
    }
    if (wrong.length > 0)
      faults.push(
        [
          `record ${id}, seed ${seed}: ${wrong.join('; ')}`,
          ...ofRecord.map((edit) => `  edit ${JSON.stringify(edit)}`),
          ...all.map((rows, index) => `  in ${index}: ${JSON.stringify(rows.get(id) ?? null)}`),
          ...wires.trace(id).map((line) => `  ${line}`),
        ].join('\n'),
      );
  }
  const issues = requireStatus(
    await client.rest<{ _page: { totalElements: number } }>(
      'GET',
      `/zones/${await rootZone(client)}/issues?filters=status:OPEN`,
    ),
    200,
  ).body._page.totalElements;
  return {
    histories: histories.length,
    edits,
    kills: run.kills,
    overridden,
    issues,
    silent: settled || wires.quietMs() >= quietForMs,
    seconds: Math.round((performance.now() - startedMs) / 1000),
    faults,
  };
};

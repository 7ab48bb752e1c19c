import { eventually } from '@fds/testing';
import type { JsonObject } from '@fds/adaptor-sdk';
import { requireStatus } from '../../harness/catalogue.js';
import { type CaseWorld, createVersions, discover, entryBody, giveCapabilities, pathOf } from './case-world.js';
import { type Job, judgeJob, judgeMessages, messagesOf, same } from './judge-job.js';
import { type CaseState, expectCase } from './oracle.js';
import { type PlannedCase, type PlannedChange, zoneOfAdaptor } from './plan-case.js';
import { lastUpdatedOf } from './table-client.js';

const queryOf = ({ ids }: PlannedCase): string | null =>
  ids === null ? null : ids.map((id) => `id:${id}`).join(' OR ');

const runJob = async (world: CaseWorld, planned: PlannedCase, body: object): Promise<Job> => {
  const { dgs } = world.doors;
  const path = `${pathOf(world, planned.here)}/reconciliations`;
  const { uuid } = requireStatus(await dgs.rest<Job>('POST', path, body), 202).body;
  return eventually(
    async () => {
      const { body: job } = requireStatus(await dgs.rest<Job>('GET', `${path}/${uuid}`), 200);
      if (job.status === 'RUNNING') throw new Error(`the job of seed ${planned.seed} still runs`);
      return job;
    },
    { deadlineMs: 120_000, intervalMs: 10 },
  );
};

/** An adaptor reports a change after it was asked and before it answers: the change wins at every adaptor that links the record. */
const judgeChange = async (
  world: CaseWorld,
  planned: PlannedCase,
  { adaptor, id, property, value }: PlannedChange,
  order: object,
): Promise<readonly string[]> => {
  const { domain } = planned;
  const client = world.pool[adaptor];
  if (client === undefined) throw new Error('a case without adaptor');
  let isMade = false;
  const make = async (): Promise<void> => {
    if (isMade) return;
    isMade = true;
    const row = { ...client.table(domain).get(id), [property]: value };
    client.table(domain).set(id, row);
    await client.report(domain, [row]);
  };
  client.whenAsked.set(domain, make);
  const job = await runJob(world, planned, { ...order, preview: false });
  client.whenAsked.delete(domain);
  await make();
  const linked = planned.adaptors.filter((place) => {
    const row = planned.rows.get(place)?.get(id);
    return row !== undefined && row.reports.length > 0 && row.held !== undefined;
  });
  const values = () => linked.map((place) => [place, world.pool[place]?.table(domain).get(id)?.[property]]);
  const wanted = linked.map((place) => [place, value]);
  const settled = await eventually(
    () => {
      if (same('values', values(), wanted).length > 0) throw new Error('the change has not arrived');
      return values();
    },
    { deadlineMs: 10_000, intervalMs: 10 },
  ).catch(() => values());
  return [
    ...same('status', job.status, 'DONE'),
    ...same(`values of ${property} of ${id} after a change`, settled, wanted),
    ...same('sent', job.counts['sent'], messagesOf(world, planned, job).length),
  ];
};

/** Runs one case after its discovery. @returns what is wrong */
const runCase = async (
  world: CaseWorld,
  planned: PlannedCase,
  { domainVersionUuid, state }: { readonly domainVersionUuid: string; readonly state: CaseState },
): Promise<readonly string[]> => {
  const { dgs } = world.doors;
  const lastUpdated = (place: number, row: JsonObject): number => lastUpdatedOf(world.pool[place] ?? { uuid: '' }, row);
  for (const entry of planned.entries) {
    const path = `/zones/${world.zones[entry.zone]}/${entry.chain.toLowerCase()}-acls?append=true`;
    requireStatus(await dgs.rest('POST', path, entryBody(world, domainVersionUuid, entry)), 201);
  }
  const homeZone = world.zones[zoneOfAdaptor[planned.here] ?? 0];
  for (const [place, tier] of planned.tiers) {
    if (tier === 2) continue;
    const path = `/zones/${homeZone}/settings/domain-version-adaptor-preferences`;
    const preferenceType = tier === 0 ? 'GOLD' : 'SILVER';
    const body = { adaptorUuid: world.pool[place]?.uuid, domainVersionUuid, preferenceType };
    requireStatus(await dgs.rest('POST', path, body), 201);
  }
  const limits = { properties: planned.properties, query: queryOf(planned) };
  const { values, missingHere, missingThere } = planned;
  const order = { domainVersionUuid, values, missingHere, missingThere, ...limits };
  const expected = expectCase(planned, state, lastUpdated);
  const preview = await runJob(world, planned, { ...order, preview: true });
  const faults = [...(await judgeJob({ world, planned, job: preview, expected }, state))];
  faults.push(...same('sent by the preview', preview.counts['sent'], 0));
  if (faults.length > 0) return faults.map((fault) => `preview: ${fault}`);

  if (planned.change !== undefined) return judgeChange(world, planned, planned.change, order);
  const job = await runJob(world, planned, { ...order, preview: false });
  faults.push(...(await judgeJob({ world, planned, job, expected }, state)));
  faults.push(...(await judgeMessages({ world, planned, job, expected }, state)));
  return faults;
};

const casesAtOnce = 6;

/** Runs cases in one world, several at the same time. @returns a text for each case with a fault */
export const runCases = async (world: CaseWorld, cases: readonly PlannedCase[]): Promise<readonly string[]> => {
  const versions = await createVersions(world, cases);
  await giveCapabilities(world, cases);
  const states = await discover(world, cases);
  const faults: string[] = [];
  const left = [...cases];
  const work = async (): Promise<void> => {
    for (let planned = left.shift(); planned !== undefined; planned = left.shift()) {
      const [domainVersionUuid, state] = [versions.get(planned.seed), states.get(planned.seed)];
      if (domainVersionUuid === undefined || state === undefined) throw new Error('a case without version');
      const wrong = await runCase(world, planned, { domainVersionUuid, state });
      if (wrong.length > 0) faults.push(`seed ${planned.seed}: ${wrong.join('\n  ')}`);
    }
  };
  await Promise.all(Array.from({ length: casesAtOnce }, work));
  return faults;
};

import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@fds/testing';
import { requireStatus } from '../../harness/catalogue.js';
import { learnExchange } from '../load/learn-exchange.js';
import { openLoad, type Load, type LoadTarget } from '../load/open-load.js';
import type { Row } from '../row.js';
import { spreadOf } from '../../measure/spread.js';
import { customerProperties } from '../stage/customer.js';
import { inParallel } from '../stage/in-parallel.js';
import { onStage, type Stage } from '../stage/open-stage.js';
import { residentMib } from '../../measure/resident-memory.js';

const liveVersions = [10, 100, 1000] as const;
const versionsPerDomain = 10;
const publishedAtEach = 7;
/** Time before and after a publication in which other requests are observed too. */
const marginMs = 300;

interface Publication {
  /** From the answer to the POST to the first good query of the new type. */
  readonly queryableMs: number;
  /** Longest wait of another request during the publication. */
  readonly stallMs: number;
}

const createDomain = async ({ steward }: Stage, index: number) => {
  const name = `published-${index}`;
  const { body } = requireStatus(
    await steward.rest<{ uuid: string }>('POST', '/domains', { name, domainType: 'SERVICE_DATA_STORE' }),
    201,
  );
  return { uuid: body.uuid, name };
};

const postVersion = async ({ steward }: Stage, domainUuid: string): Promise<number> => {
  const { body } = requireStatus(
    await steward.rest<{ versionNumber: number }>('POST', `/domains/${domainUuid}/versions`, {
      modelSchema: { properties: customerProperties },
      drKeyProperties: ['id'],
    }),
    201,
  );
  return body.versionNumber;
};

/**
 * Publishes versions as fast as the service accepts them: domains in parallel, the versions of a domain one after the
 * other.
 */
const publishMany = async (stage: Stage, from: number, to: number): Promise<void> => {
  const domains = Array.from(
    { length: (to - from) / versionsPerDomain },
    (_, index) => from / versionsPerDomain + index,
  );
  await inParallel(4, domains, async (index) => {
    const { uuid } = await createDomain(stage, index);
    for (let version = 0; version < versionsPerDomain; version += 1) await postVersion(stage, uuid);
  });
};

const publishOne = async (
  stage: Stage,
  domain: { readonly uuid: string; readonly name: string },
  watch: { readonly load: Load; readonly target: LoadTarget },
): Promise<Publication> => {
  watch.load.start(watch.target);
  await delay(marginMs);
  const version = await postVersion(stage, domain.uuid);
  const answeredMs = performance.now();
  const field = `dr_${domain.name.replaceAll('-', '_')}_${version}`;
  await eventually(() => stage.steward.graphql(`{ ${field}(size: 1) { data { id } page { totalElements } } }`), {
    intervalMs: 1,
  });
  const queryableMs = performance.now() - answeredMs;
  await delay(marginMs);
  return { queryableMs, stallMs: (await watch.load.stop()).longestMs };
};

const watchQuietly = async ({
  load,
  target,
}: {
  readonly load: Load;
  readonly target: LoadTarget;
}): Promise<number> => {
  load.start(target);
  await delay(2 * marginMs);
  return (await load.stop()).longestMs;
};

/** A closed loop of queries that read one row. */
const learnLightQuery = async ({ service, authorization }: Stage): Promise<LoadTarget> => {
  const exchange = {
    method: 'POST',
    path: '/graphql',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify({ query: '{ zones(zoneName: "Root") { data { uuid name } } }' }),
  } as const;
  const learned = await learnExchange(service.baseUrl, exchange, (body) => {
    if (!JSON.stringify(body).includes('"name":"Root"')) throw new Error(`no zone Root in ${JSON.stringify(body)}`);
  });
  return { origin: service.baseUrl, connections: 2, exchanges: [learned] };
};

const rounded = (value: number): number => Number(value.toPrecision(3));

export const versionPublishing: Row = {
  id: 9,
  what: 'Publishing a version with 1000 live',
  comparedWith: '-',
  figures: [
    { name: 'first good query', unit: 'ms', better: 'lower', goal: 50, stretch: 50 },
    { name: 'stall of others', unit: 'ms', better: 'lower', goal: 10, stretch: 5 },
    { name: 'memory against 10 live', unit: 'ratio', better: 'lower', goal: 2, stretch: 1.3 },
  ],
  run: (signal) =>
    onStage(signal, async (stage) => {
      const watch = { load: openLoad(stage.leftovers), target: await learnLightQuery(stage) };
      const probe = await createDomain(stage, 9999);
      const notes: string[] = [];
      const { pid } = stage.service.process();
      const mib = new Map<number, number>();
      let live = 0;
      let last: Publication[] = [];
      for (const wanted of liveVersions) {
        const startedMs = performance.now();
        await publishMany(stage, live, wanted);
        const seconds = (performance.now() - startedMs) / 1000;
        const quietMs = await watchQuietly(watch);
        mib.set(wanted, residentMib(pid));
        last = [];
        for (let n = 0; n < publishedAtEach; n += 1) last.push(await publishOne(stage, probe, watch));
        const queryable = spreadOf(last.map(({ queryableMs }) => queryableMs));
        const stall = spreadOf(last.map(({ stallMs }) => stallMs));
        notes.push(
          `${wanted} live: ${rounded(queryable.median)} ms to the first good query (at most ${rounded(queryable.max)}), ` +
            `${Math.round(residentMib(pid))} MiB resident, stall ${rounded(stall.median)} ms (at most ${rounded(stall.max)}; ${rounded(quietMs)} while nothing is published); ` +
            `${wanted - live} versions took ${rounded(seconds)} s to publish`,
        );
        live = wanted;
      }
      return {
        values: {
          'first good query': spreadOf(last.map(({ queryableMs }) => queryableMs)),
          'stall of others': spreadOf(last.map(({ stallMs }) => stallMs)),
          'memory against 10 live': spreadOf([(mib.get(1000) ?? NaN) / (mib.get(10) ?? NaN)]),
        },
        notes,
      };
    }),
};

import { eventually } from '@fds/testing';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { deepStrictEqual } from 'node:assert/strict';
import { Pool } from 'undici';
import { adaptorProperties } from '../../harness/adaptor-properties.js';
import { requireStatus } from '../../harness/catalogue.js';
import type { SourceAdaptor, SourceOrder, SourceReport } from '../sources/source-order.js';
import { createCustomerDomain } from './create-customer-domain.js';
import { customer } from './customer.js';
import { inParallel } from './in-parallel.js';
import type { Stage } from './open-stage.js';

/** The part of an assembly request that a benchmark chooses. */
type AssemblyChoice = Readonly<Record<string, unknown>>;

/** Outcomes by adaptor, as `completeness` has them. */
type Outcomes = Readonly<Record<string, string>>;

interface Assembled {
  readonly assembledDataRecords: readonly { readonly data: unknown }[];
  readonly completeness: readonly { readonly adaptorUuid: string; readonly outcome: string }[];
}

/** A federated domain of customers, and adaptors in a separate process. Each adaptor holds every customer. */
export interface AssemblySources {
  /** In the order in which they were asked for. */
  readonly adaptorUuids: readonly string[];
  /**
   * Assembles the n-th customer through the assembly service and checks the answer.
   *
   * @returns milliseconds from the request to the end of the answer
   * @throws Error when the data or the outcomes are not the expected ones
   */
  assemble(n: number, choice: AssemblyChoice, outcomes: Outcomes): Promise<number>;
  /** By number of customer: the longest time that an adaptor took to answer for it, since the last report. */
  longestMs(): Promise<(n: number) => number>;
}

/** @param delaysMs one adaptor each; see `SourceAdaptor` */
export const openAssemblySources = async (
  stage: Stage,
  {
    domain,
    customers,
    delaysMs,
    connections,
  }: {
    readonly domain: string;
    readonly customers: number;
    readonly delaysMs: readonly SourceAdaptor['delayMs'][];
    readonly connections: number;
  },
): Promise<AssemblySources> => {
  const { leftovers, service, steward, authorization } = stage;
  const { createAdaptor } = await createCustomerDomain(stage, domain);
  const created = await inParallel(1, delaysMs, async (delayMs) => ({
    delayMs,
    adaptor: await createAdaptor(`${domain} ${String(delayMs)} ms, ${crypto.randomUUID()}`),
  }));
  const records = Array.from({ length: customers }, (_, n) => customer(n));
  requireStatus(await steward.rest('POST', `/drs/bulk?filters=name:${domain}`, records), 200);

  const child = fork(fileURLToPath(new URL('../sources/answering-adaptors.js', import.meta.url)), {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
  });
  const exited = once(child, 'exit');
  leftovers.add(async () => {
    if (child.connected) child.disconnect();
    await exited;
  });
  const ask = async (order: SourceOrder): Promise<SourceReport> => {
    const reported = once(child, 'message', { signal: AbortSignal.timeout(60_000) });
    child.send(order);
    const [report] = (await reported) as [SourceReport];
    return report;
  };
  const adaptors = created.map(({ adaptor, delayMs }) => ({
    properties: adaptorProperties(leftovers, service, adaptor),
    delayMs,
  }));
  await ask({ kind: 'OPEN', adaptors, domain, customers });

  const pool = new Pool(service.assemblyUrl, { connections, pipelining: 1 });
  leftovers.add(() => pool.close());
  const headers = { authorization, 'content-type': 'application/json' };

  const assemble: AssemblySources['assemble'] = async (n, choice, outcomes) => {
    const body = JSON.stringify({ domain, drKeys: [{ id: customer(n).id }], ...choice });
    const startedMs = performance.now();
    const answer = await pool.request({ method: 'POST', path: '/request', headers, body });
    const text = await answer.body.text();
    const tookMs = performance.now() - startedMs;
    if (answer.statusCode !== 200) throw new Error(`the assembly service answers ${answer.statusCode}: ${text}`);
    const { assembledDataRecords, completeness } = JSON.parse(text) as Assembled;
    deepStrictEqual(Object.fromEntries(completeness.map((it) => [it.adaptorUuid, it.outcome])), outcomes);
    deepStrictEqual(
      assembledDataRecords.map(({ data }) => data),
      [customer(n)],
    );
    return tookMs;
  };

  const adaptorUuids = created.map(({ adaptor }) => adaptor.uuid);
  const live = created.filter(({ delayMs }) => delayMs !== null).map(({ adaptor }) => adaptor.uuid);
  const outcomes = Object.fromEntries(live.map((uuid) => [uuid, 'ANSWERED']));
  // links are on their way until the last customer has all of them
  await eventually(() => assemble(customers - 1, { adaptors: live, timeout: 5 }, outcomes), { deadlineMs: 60_000 });

  return {
    adaptorUuids,
    assemble,
    longestMs: async () => {
      const report = await ask({ kind: 'REPORT' });
      if (report.kind !== 'ANSWERED') throw new Error(`the adaptors report ${report.kind}`);
      return (n) => report.longestMs[customer(n).id] ?? NaN;
    },
  };
};

import { eventually } from '@fds/testing';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
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

/** Milliseconds from the request. */
interface StreamTimes {
  readonly firstMs: number;
  readonly endMs: number;
}

type Line = Readonly<Record<string, unknown>>;

/** A federated domain of customers, and adaptors in a separate process. Each adaptor holds every customer. */
export interface AssemblySources {
  /** In the order of the request. */
  readonly adaptorUuids: readonly string[];
  /**
   * Assembles the n-th customer through the assembly service and checks the answer.
   *
   * @returns milliseconds from the request to the end of the answer
   * @throws Error when the data or the outcomes are not the expected ones
   */
  assemble(n: number, choice: AssemblyChoice, outcomes: Outcomes): Promise<number>;
  /**
   * Requests a progressive answer and checks the data of each line with a record. A record may have several such lines.
   *
   * @throws Error when a record is missing or wrong
   */
  stream(choice: AssemblyChoice & { readonly size: number }): Promise<StreamTimes>;
  /** For each customer number, the longest time of an adaptor to answer since the last report. */
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
    withPartners = false,
  }: {
    readonly domain: string;
    /** 0: the caller adds records and links. */
    readonly customers: number;
    readonly delaysMs: readonly SourceAdaptor['delayMs'][];
    readonly connections: number;
    /** Does each customer refer to the next one, as its `partner`? Default: no. */
    readonly withPartners?: boolean;
  },
): Promise<AssemblySources> => {
  const { leftovers, service, steward, authorization } = stage;
  const { createAdaptor } = await createCustomerDomain(
    stage,
    domain,
    withPartners ? { partner: { $ref: `/domains/${domain}:v1` } } : {},
  );
  const created = await inParallel(1, delaysMs, async (delayMs) => ({
    delayMs,
    adaptor: await createAdaptor(`${domain} ${String(delayMs)} ms, ${crypto.randomUUID()}`),
  }));
  const records = Array.from({ length: customers }, (_, n) => customer(n));
  if (customers > 0) requireStatus(await steward.rest('POST', `/drs/bulk?filters=name:${domain}`, records), 200);

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
  await ask({ kind: 'OPEN', adaptors, domain, customers, withPartners });

  const pool = new Pool(service.assemblyUrl, { connections, pipelining: 1 });
  leftovers.add(() => pool.close());
  const headers = { authorization, 'content-type': 'application/json' };

  const dataOf = (n: number, isExpanded: boolean): object => {
    const { id } = customer(n + 1);
    const hasNext = n + 1 < customers;
    const partner = isExpanded
      ? hasNext
        ? { ...customer(n + 1), partner: { id: customer(n + 2).id } }
        : null
      : { id };
    return { ...customer(n), ...(withPartners ? { partner } : {}) };
  };

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
      [dataOf(n, choice['expandRefs'] === true)],
    );
    return tookMs;
  };

  const stream: AssemblySources['stream'] = async (choice) => {
    const body = JSON.stringify({ domain, ...choice });
    const startedMs = performance.now();
    const asking = { ...headers, accept: 'application/x-ndjson' };
    const answer = await pool.request({ method: 'POST', path: '/request', headers: asking, body });
    const given = new Set<string>();
    let firstMs = NaN;
    let last: Line = {};
    for await (const text of createInterface({ input: answer.body })) {
      last = JSON.parse(text) as Line;
      if (!('record' in last)) continue;
      if (given.size === 0) firstMs = performance.now() - startedMs;
      const { data } = last.record as { readonly data: { readonly id: string } };
      deepStrictEqual(data, customer(Number(data.id.slice('customer-'.length))));
      given.add(data.id);
    }
    const endMs = performance.now() - startedMs;
    if (!('completeness' in last) || given.size !== choice.size)
      throw new Error(`${given.size} records of ${choice.size} came, and at the end ${JSON.stringify(last)}`);
    return { firstMs, endMs };
  };

  const adaptorUuids = created.map(({ adaptor }) => adaptor.uuid);
  const live = created.filter(({ delayMs }) => delayMs !== null).map(({ adaptor }) => adaptor.uuid);
  const outcomes = Object.fromEntries(live.map((uuid) => [uuid, 'ANSWERED']));
  // waits until the last customer has all its links
  if (customers > 0)
    await eventually(() => assemble(customers - 1, { adaptors: live, timeout: 5 }, outcomes), { deadlineMs: 60_000 });

  return {
    adaptorUuids,
    assemble,
    stream,
    longestMs: async () => {
      const report = await ask({ kind: 'REPORT' });
      if (report.kind !== 'ANSWERED') throw new Error(`the adaptors report ${report.kind}`);
      return (n) => report.longestMs[customer(n).id] ?? NaN;
    },
  };
};

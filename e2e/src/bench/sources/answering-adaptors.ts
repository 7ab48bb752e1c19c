// Adaptors that answer assembly requests after a fixed time. The parent process controls them.
import type { AnsweredRecord, AssemblyRequest, JsonObject } from '@fds/adaptor-protocol';
import { startAdaptor, type RunningAdaptor } from '@fds/adaptor-sdk';
import { setTimeout as delay } from 'node:timers/promises';
import { customer } from '../stage/customer.js';
import type { SourceAdaptor, SourceOrder, SourceReport } from './source-order.js';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
const linksOfOneReport = 100;

let longestMs = new Map<string, number>();
let withPartners = false;

const tell = (report: SourceReport): void => void process.send?.(report);

const idOf = (drKey: JsonObject): string => {
  const { id } = drKey;
  if (typeof id !== 'string') throw new Error('a customer without an id was asked for');
  return id;
};

const answered = ({ drUuid, drKey }: { readonly drUuid: string; readonly drKey: JsonObject }): AnsweredRecord => {
  const n = Number(idOf(drKey).slice('customer-'.length));
  const partner = withPartners ? { partner: { id: customer(n + 1).id } } : {};
  return { drUuid, drKey, data: { ...customer(n), ...partner } };
};

const assembleAfter =
  (delayMs: number | null) =>
  async ({ records }: AssemblyRequest, signal: AbortSignal): Promise<{ readonly records: AnsweredRecord[] }> => {
    const startedMs = performance.now();
    if (delayMs === null)
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stalled'))));
    else if (delayMs > 0) await delay(delayMs);
    const answer = (records ?? []).map(answered);
    const tookMs = performance.now() - startedMs;
    for (const { drKey } of answer) {
      const id = idOf(drKey);
      longestMs.set(id, Math.max(longestMs.get(id) ?? 0, tookMs));
    }
    return { records: answer };
  };

const open = async (source: SourceAdaptor, domain: string, customers: number): Promise<RunningAdaptor> => {
  const { delayMs, properties } = source;
  const adaptor = await startAdaptor({
    handlers: { assemble: assembleAfter(delayMs) },
    properties: { ...properties, 'assembly.concurrency': '64' },
    log: silent,
  });
  const links = Array.from({ length: customers }, (_, n) => {
    return { action: 'LINK', domain, version: 1, drKey: { id: customer(n).id } } as const;
  });
  for (let from = 0; from < customers; from += linksOfOneReport)
    await adaptor.reportLinks(links.slice(from, from + linksOfOneReport));
  return adaptor;
};

process.on('message', (order: SourceOrder) => {
  if (order.kind === 'REPORT') {
    tell({ kind: 'ANSWERED', longestMs: Object.fromEntries(longestMs) });
    longestMs = new Map();
    return;
  }
  withPartners = order.withPartners;
  void Promise.all(order.adaptors.map((source) => open(source, order.domain, order.customers))).then((adaptors) => {
    process.once('disconnect', () => {
      void Promise.all(adaptors.map((adaptor) => adaptor.stop())).finally(() => process.exit());
    });
    tell({ kind: 'OPENED' });
  });
});

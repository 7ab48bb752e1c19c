// Sends each request as soon as the previous one was answered, and checks every body. Its parent process controls it.
import { Pool } from 'undici';
import type { ExpectedExchange, LoadOrder, LoadReport } from './load-order.js';

interface Exchange extends ExpectedExchange {
  readonly bytes: Buffer;
}

let stop: (() => Promise<LoadReport>) | undefined;

const send = async (pool: Pool, exchange: Exchange): Promise<string | undefined> => {
  const { method, path, headers, body, bytes } = exchange;
  const answer = await pool.request({ method, path, headers, body: body ?? null });
  const received = Buffer.from(await answer.body.arrayBuffer());
  return answer.statusCode === 200 && received.equals(bytes)
    ? undefined
    : `${method} ${path}: ${answer.statusCode} ${received.toString().slice(0, 500)}`;
};

const start = ({
  origin,
  connections,
  exchanges,
}: Extract<LoadOrder, { kind: 'START' }>): (() => Promise<LoadReport>) => {
  const prepared = exchanges.map((exchange) => ({ ...exchange, bytes: Buffer.from(exchange.expected) }));
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const stopping = new AbortController();
  let answers = 0;
  const waitsMs: number[] = [];
  let wrong: string | undefined;
  let next = 0;
  const lane = async (): Promise<void> => {
    while (!stopping.signal.aborted && wrong === undefined) {
      const exchange = prepared[next++ % prepared.length] as Exchange;
      const startedMs = performance.now();
      const fault = await send(pool, exchange).catch((error: unknown) => `${exchange.path}: ${String(error)}`);
      if (fault === undefined) answers += 1;
      else wrong ??= fault;
      waitsMs.push(performance.now() - startedMs);
    }
  };
  const lanes = Promise.all(Array.from({ length: connections }, lane));
  return async () => {
    stopping.abort();
    await lanes;
    await pool.close();
    waitsMs.sort((one, other) => one - other);
    const longestMs = waitsMs.at(-1) ?? 0;
    const p95Ms = waitsMs[Math.ceil(waitsMs.length * 0.95) - 1] ?? 0;
    return { answers, longestMs, p95Ms, ...(wrong === undefined ? {} : { wrong }) };
  };
};

process.on('message', (order: LoadOrder) => {
  if (order.kind === 'START') {
    stop = start(order);
    return;
  }
  void stop?.().then((report) => process.send?.(report));
});
process.on('disconnect', () => process.exit());

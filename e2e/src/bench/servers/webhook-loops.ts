import { createWebhookSecret, createWebhookSender, everyTarget, type WebhookSender } from '@fds/webhook-client';
import { Pool } from 'undici';

/** Number of simultaneous requests: the same as the limit of the service for one receiver. */
const parallel = 8;
const body = JSON.stringify({
  action: 'POST',
  drUuid: '01a2077d-0000-7000-8000-000000000001',
  domainVersionUuid: '01a2077d-0000-7000-8000-000000000002',
  sourceAdaptorUuid: '01a2077d-0000-7000-8000-000000000003',
  destinationAdaptorUuid: '01a2077d-0000-7000-8000-000000000004',
  transactionUuid: '01a2077d-0000-7000-8000-000000000005',
  createTime: 1_795_420_800_000,
  drKey: '["o-1"]',
  jsonData: JSON.stringify({ id: 'o-1', text: 'x'.repeat(200) }),
});

const inLoops = async (count: number, send: (index: number) => Promise<number>): Promise<number[]> => {
  const times: number[] = [];
  let next = 0;
  const loop = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      const from = performance.now();
      const status = await send(next);
      if (status !== 204) throw new Error(`a webhook was answered ${status}`);
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: parallel }, loop));
  return times;
};

/** Sends by the product and by a bare client to the same receiver. Each returns the times of its requests. */
export interface WebhookLoops {
  signed(url: string, count: number): Promise<readonly number[]>;
  bare(url: string, count: number): Promise<readonly number[]>;
  /** Makes the product send to a receiver that never answers, until the returned function is called. */
  bother(url: string): () => Promise<void>;
  close(): Promise<void>;
}

export const openWebhookLoops = (origin: string): WebhookLoops => {
  const sender: WebhookSender = createWebhookSender({ rule: everyTarget });
  const pool = new Pool(origin, { connections: parallel, pipelining: 1 });
  const secrets = [createWebhookSecret()];
  const send = (url: string, id: string, signal?: AbortSignal) =>
    sender.send({ url, secrets, id, timestamp: new Date(), body, signal });
  return {
    signed: (url, count) => inLoops(count, async (index) => (await send(url, `msg_${index}`)).httpStatus ?? 0),
    bare: (url, count) =>
      inLoops(count, async () => {
        const { statusCode, body: answer } = await pool.request({
          path: new URL(url).pathname,
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
        await answer.dump();
        return statusCode;
      }),
    bother: (url) => {
      const ends = Array.from({ length: parallel * 4 }, () => new AbortController());
      const loop = async ({ signal }: AbortController): Promise<void> => {
        while (!signal.aborted) await send(url, 'msg_dead', signal);
      };
      const loops = Promise.all(ends.map(loop));
      return async () => {
        for (const end of ends) end.abort();
        await loops;
      };
    },
    close: async () => {
      await sender.close();
      await pool.close();
    },
  };
};

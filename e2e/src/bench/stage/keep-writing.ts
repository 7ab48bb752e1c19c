import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../harness/client.js';

const pauseMs = 200;

/** Changes that are made while something is measured. */
export interface Writer {
  /** Ends after the change at hand. @returns number of changes. @throws what a change failed with */
  stop(): Promise<number>;
}

/** Adds, changes and removes a record of the customer model by REST, one change at a time, about four each second. */
export const keepWriting = (steward: Client, domainName: string, id: string): Writer => {
  const stopping = new AbortController();
  const { signal } = stopping;
  let changes = 0;
  const change = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const answer = await steward.rest<Body>(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path} answers ${answer.status}`);
    changes += 1;
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    return answer.body;
  };
  const write = async (): Promise<void> => {
    while (!signal.aborted) {
      const json = { id, lastName: 'Writer', visits: 1 };
      const { uuid } = await change<{ uuid: string }>('POST', '/drs', { name: domainName, json });
      await change('PATCH', `/drs/${uuid}`, { visits: 2 });
      await change('DELETE', `/drs/${uuid}`);
    }
  };
  const written = write();
  // reported by `stop`
  written.catch(() => undefined);
  return {
    stop: async () => {
      stopping.abort();
      await written;
      return changes;
    },
  };
};

import { WebSocket } from 'undici';
import type { Leftovers } from '../../harness/leftovers.js';

/** A graphql-ws socket that sends a query again as soon as it is answered. */
export interface QuerySocket {
  /** Number of answers until now. */
  readonly answers: number;
  /** Faults: an answer that differed from the first, or the end of the socket. */
  readonly faults: readonly string[];
}

/** Opens the socket and waits for the first answer. It ends with the leftovers. */
export const openQuerySocket = async (
  leftovers: Leftovers,
  { baseUrl, token, query }: { readonly baseUrl: string; readonly token: string; readonly query: string },
): Promise<QuerySocket> => {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const faults: string[] = [];
  let answers = 0;
  let expected: string | undefined;
  let over = false;
  leftovers.add(() => {
    over = true;
    socket.close();
  });
  const ask = (): void => socket.send(JSON.stringify({ id: String(answers), type: 'subscribe', payload: { query } }));
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () =>
      socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } })),
    );
    socket.addEventListener('close', ({ code, reason }) => {
      if (over) return;
      faults.push(`closed: ${code} ${reason}`);
      reject(new Error(faults.join()));
    });
    socket.addEventListener('message', ({ data }) => {
      const { type, payload } = JSON.parse(String(data)) as { type: string; payload?: unknown };
      const text = JSON.stringify(payload);
      if (type === 'connection_ack') ask();
      else if (type === 'complete' && faults.length === 0) ask();
      else if (type === 'next') {
        answers += 1;
        expected ??= text;
        if (text !== expected) faults.push(text);
        resolve();
      } else if (type === 'error') {
        faults.push(text);
        reject(new Error(text));
      }
    });
  });
  return {
    get answers() {
      return answers;
    },
    faults,
  };
};

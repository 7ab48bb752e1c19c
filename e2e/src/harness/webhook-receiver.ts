import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Leftovers } from './leftovers.js';

/** A data notification in the form that a receiver gets. */
interface Notification {
  readonly action: string;
  readonly drUuid: string;
  readonly drKey: string;
  readonly jsonData: string;
  readonly transactionUuid: string;
  readonly sourceAdaptorUuid: string | null;
  readonly destinationAdaptorUuid: string;
  readonly domainVersionUuid: string;
  readonly createTime: number;
}

/** A request that a receiver got. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly message: Notification;
}

type Answer = (request: Received, response: ServerResponse, socket: Socket) => void;

/** A real HTTP server in the process of the test. */
export interface WebhookReceiver {
  readonly url: string;
  /** Requests in the order of their arrival, including unanswered ones. */
  readonly received: readonly Received[];
  /** Sets the answer from now on. Without an argument, every request is answered 204. */
  become(answer?: Answer): void;
}

const accept: Answer = (_, response) => void response.writeHead(204).end();

/** Opens a receiver on a free port; it closes with the leftovers. */
export const openWebhookReceiver = async (leftovers: Leftovers): Promise<WebhookReceiver> => {
  const received: Received[] = [];
  let answer = accept;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString('utf8');
      const one = { headers: request.headers, text, message: JSON.parse(text) as Notification };
      received.push(one);
      answer(one, response, request.socket);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  leftovers.add(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    become: (next = accept) => {
      answer = next;
    },
  };
};

import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a receiver received. */
interface ReceivedMessage {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly action: string; readonly resource: string; readonly type: string; readonly data: unknown };
  readonly time: number;
}

/** A webhook receiver with a real HTTP server. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly ReceivedMessage[];
  /** Ids in the order in which they first arrived. */
  ids(): string[];
  close(): Promise<void>;
}

/** Answers a message; `number` counts the requests from 1. */
export type AnswerMessage = (response: ServerResponse, number: number, message: ReceivedMessage) => void;

const acceptAll: AnswerMessage = (response) => {
  response.writeHead(204).end();
};

export const openReceiver = async (answer: AnswerMessage = acceptAll): Promise<Receiver> => {
  const received: ReceivedMessage[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const message: ReceivedMessage = {
        id: String(request.headers['webhook-id']),
        headers: request.headers,
        text,
        body: JSON.parse(text) as ReceivedMessage['body'],
        time: Date.now(),
      };
      received.push(message);
      answer(response, received.length, message);
    });
    request.on('error', () => undefined);
    response.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    ids: () => [...new Set(received.map(({ id }) => id))],
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};

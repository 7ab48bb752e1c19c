import { eventually } from '@fds/testing';
import { createClient, type Client } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Leftovers } from '../../harness/leftovers.js';

/** The messages of a subscription, or the errors that ended it. */
export interface Received<Data> {
  readonly data: readonly Data[];
  readonly errors: readonly unknown[];
  /** Has the subscription ended, by the service or by `stop`? */
  readonly isOver: boolean;
  stop(): void;
  /** Waits for this number of messages. @returns all of them */
  wait(count: number): Promise<readonly Data[]>;
  /** Waits until it has ended. */
  end(): Promise<void>;
}

/** A graphql-ws client of one caller. */
export interface Subscriber {
  readonly client: Client;
  /** Codes and reasons with which its sockets were closed. */
  readonly closes: readonly { readonly code: number; readonly reason: string }[];
  /** Settles when the service has begun the subscription. */
  subscribe<Data>(query: string, variables?: Readonly<Record<string, unknown>>): Received<Data>;
}

/** @param retryAttempts number of reconnections of the client. Default: 0 */
export const openSubscriber = (
  leftovers: Leftovers,
  baseUrl: string,
  token: () => string | undefined,
  retryAttempts = 0,
): Subscriber => {
  const closes: { code: number; reason: string }[] = [];
  const client = createClient({
    url: `${baseUrl.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    lazy: true,
    retryAttempts,
    retryWait: () => Promise.resolve(),
    connectionParams: () => ({ authorization: `Bearer ${token()}` }),
    on: {
      closed: (event) => {
        const { code, reason } = event as { readonly code: number; readonly reason: string };
        closes.push({ code, reason });
      },
    },
  });
  leftovers.add(() => void client.dispose());
  return {
    client,
    closes,
    subscribe: <Data>(query: string, variables: Readonly<Record<string, unknown>> = {}): Received<Data> => {
      const data: Data[] = [];
      const errors: unknown[] = [];
      let isOver = false;
      const stop = client.subscribe<Data>(
        { query, variables: { ...variables } },
        {
          next: (result) => {
            if (result.errors !== undefined) errors.push(...result.errors);
            if (result.data !== undefined && result.data !== null) data.push(result.data);
          },
          error: (error) => {
            errors.push(...(Array.isArray(error) ? (error as unknown[]) : [error]));
            isOver = true;
          },
          complete: () => {
            isOver = true;
          },
        },
      );
      return {
        data,
        errors,
        get isOver() {
          return isOver;
        },
        stop,
        wait: async (count) => {
          await eventually(async () => {
            if (data.length < count)
              throw new Error(`${data.length} of ${count} messages, errors: ${JSON.stringify(errors)}`);
          });
          return data;
        },
        end: () =>
          eventually(async () => {
            if (!isOver) throw new Error('the subscription continues');
          }),
      };
    },
  };
};

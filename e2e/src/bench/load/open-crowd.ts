import { eventually } from '@fds/testing';
import { WebSocket } from 'ws';
import type { Leftovers } from '../../harness/leftovers.js';

/** Many websockets that count messages. */
export interface Crowd {
  /** Repeats the trigger until each socket has received a message, then waits until no more messages arrive. */
  awaken(trigger: () => Promise<unknown>): Promise<void>;
  /** Runs the trigger and waits until each socket has received one more message. */
  broadcast(trigger: () => Promise<unknown>): Promise<Broadcast>;
}

/** Times in milliseconds until one message has reached all sockets. */
export interface Broadcast {
  /** From the trigger to the last socket. */
  readonly totalMs: number;
  /** From the first socket to the last one. */
  readonly fanOutMs: number;
}

/** How the sockets are opened. */
export interface CrowdOptions {
  readonly url: string;
  readonly size: number;
  readonly protocol?: string;
  /** Called when a socket is open, and with each message. */
  readonly greet?: (send: (text: string) => void, received: string | undefined) => void;
  /** Does the message count? Default: every message counts. */
  readonly counts?: (text: string) => boolean;
}

const silenceMs = 400;

/** Opens the sockets, fifty at a time. */
export const openCrowd = async (leftovers: Leftovers, options: CrowdOptions): Promise<Crowd> => {
  const { url, size, protocol, greet = () => undefined, counts = () => true } = options;
  const awake = new Set<WebSocket>();
  let received = 0;
  let firstMs: number | undefined;
  let lastMs = 0;
  let onMessage = (): void => undefined;
  const open = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(url, protocol, { perMessageDeflate: false });
      leftovers.add(() => socket.terminate());
      const send = (text: string): void => socket.send(text);
      socket.on('error', reject);
      socket.on('open', () => {
        greet(send, undefined);
        resolve();
      });
      socket.on('message', (data: Buffer) => {
        const text = data.toString('utf8');
        greet(send, text);
        if (!counts(text)) return;
        lastMs = performance.now();
        firstMs ??= lastMs;
        received += 1;
        awake.add(socket);
        onMessage();
      });
    });
  for (let opened = 0; opened < size; opened += 50) {
    await Promise.all(Array.from({ length: Math.min(50, size - opened) }, open));
  }
  return {
    awaken: async (trigger) => {
      await eventually(
        async () => {
          await trigger();
          if (awake.size < size) throw new Error(`${awake.size} of ${size} sockets have had a message`);
        },
        { deadlineMs: 60_000, intervalMs: 500 },
      );
      await eventually(
        async () => {
          if (performance.now() - lastMs < silenceMs) throw new Error('messages still arrive');
        },
        { deadlineMs: 60_000, intervalMs: 50 },
      );
    },
    broadcast: async (trigger) => {
      const before = received;
      firstMs = undefined;
      const all = new Promise<void>((resolve) => {
        onMessage = () => {
          if (received === before + size) resolve();
        };
      });
      const begunMs = performance.now();
      await trigger();
      await all;
      const endMs = performance.now();
      return { totalMs: endMs - begunMs, fanOutMs: endMs - (firstMs ?? begunMs) };
    },
  };
};

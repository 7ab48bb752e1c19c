import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { type JsonObject, finish, finishedPrefix, type FinishedPrefix } from '@fds/adaptor-protocol';
import type { Leftovers } from '../../harness/leftovers.js';
import { readCountedEvent, type CountedEvent } from './counted-event.js';
import { EffectBook, type Effects } from './effect-book.js';
import { readJsonLines, writeJsonLine } from './json-lines.js';
import type { Asked, QuestionName, Questions } from './ledger-protocol.js';

/** The places of a destination's sequences that have an effect. */
class PlaceBook {
  readonly #epochs = new Map<string, FinishedPrefix>();

  has(epoch: string, sequence: number): boolean {
    const prefix = this.#epochs.get(epoch);
    return prefix !== undefined && (sequence <= prefix.upto || prefix.beyond.has(sequence));
  }

  /** @returns true when the place is new */
  add(epoch: string, sequence: number): boolean {
    if (this.has(epoch, sequence)) return false;
    this.#epochs.set(epoch, finish(this.#epochs.get(epoch) ?? finishedPrefix(0), sequence));
    return true;
  }
}

/** The effects in a destination, and whether their content is what sources have published. */
interface DestinationView extends Effects {
  /** Number of applied events whose content no source has published. */
  readonly wrong: number;
}

/**
 * The systems next to the adaptors, in the process of the run: the events that sources have published, and the effects
 * in destinations. It survives when adaptors, server, broker or database are killed.
 */
export interface Ledger {
  readonly port: number;
  /** Allows a source to publish more events. */
  grant(stream: string, events: number): void;
  /** Total number of events that the source may publish. */
  granted(stream: string): number;
  /** Number of events that the source's adaptor has promised to keep (`publish` has resolved). */
  published(stream: string): number;
  destination(name: string): DestinationView;
  /** Was the event applied in this destination? */
  has(destination: string, event: { readonly id: string; readonly n: number }): boolean;
}

interface Source {
  granted: number;
  published: number;
  /** Continues a program that waits for more events. */
  wake: () => void;
}

interface Destination {
  readonly places: PlaceBook;
  readonly effects: EffectBook;
  wrong: number;
}

type Answers = { readonly [N in QuestionName]: (asks: Questions[N]['asks']) => unknown };

/** Called for each new effect. */
export type OnEffect = (destination: string, event: CountedEvent) => void;

/** Opens the ledger on a free port; it ends with the leftovers. */
export const openLedger = async (leftovers: Leftovers, onEffect: OnEffect): Promise<Ledger> => {
  const sources = new Map<string, Source>();
  const destinations = new Map<string, Destination>();
  const sourceOf = (stream: string): Source => {
    const source = sources.get(stream) ?? { granted: 0, published: 0, wake: () => undefined };
    sources.set(stream, source);
    return source;
  };
  const destinationOf = (name: string): Destination => {
    const found = destinations.get(name);
    const destination = found ?? { places: new PlaceBook(), effects: new EffectBook(), wrong: 0 };
    destinations.set(name, destination);
    return destination;
  };

  const answers: Answers = {
    take: async ({ stream, size }) => {
      const source = sourceOf(stream);
      while (source.granted === source.published) {
        await new Promise<void>((resolve) => {
          source.wake = resolve;
        });
      }
      return { from: source.published, to: Math.min(source.granted, source.published + size) };
    },
    published: ({ stream, to }) => {
      sourceOf(stream).published = to;
      return true;
    },
    has: ({ destination, epoch, sequence }) => destinationOf(destination).places.has(epoch, sequence),
    apply: ({ destination, epoch, sequence, json }) => {
      const { places, effects } = destinationOf(destination);
      if (!places.add(epoch, sequence)) return true;
      const event = readCountedEvent(json as JsonObject);
      if (event === undefined) destinationOf(destination).wrong += 1;
      else {
        effects.add(event);
        onEffect(destination, event);
      }
      return true;
    },
  };

  const answer = async (socket: Socket, { number, name, asks }: Asked): Promise<void> => {
    const handler = answers[name] as (asks: object) => unknown;
    writeJsonLine(socket, { number, answer: await handler(asks) });
  };
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    readJsonLines(socket, (value) => void answer(socket, value as Asked));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  leftovers.add(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  return {
    port: (server.address() as AddressInfo).port,
    grant: (stream, events) => {
      const source = sourceOf(stream);
      source.granted += events;
      source.wake();
    },
    granted: (stream) => sourceOf(stream).granted,
    published: (stream) => sourceOf(stream).published,
    destination: (name) => {
      const { effects, wrong } = destinationOf(name);
      return { ...effects.effects(), wrong };
    },
    has: (name, event) => destinationOf(name).effects.has(event),
  };
};

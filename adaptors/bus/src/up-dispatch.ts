import { parseTopic } from '@fds/adaptor-protocol';
import type { UpHandler, UpKind, UpMessage } from './server-bus.js';

/** What went wrong, in a line; never payloads. */
export interface DispatchLog {
  error(detail: object, message: string): void;
}

/** The handlers of a server's end, and what they are busy with. */
export interface UpDispatch {
  /** @throws Error when the kind has a handler already */
  handle(kind: UpKind, handler: UpHandler): void;
  /**
   * Hands a message to its handler, at once and in order of the calls. A kind without a handler is dropped.
   * Rejects, after logging, when the handler fails.
   */
  dispatch(message: UpMessage): Promise<void>;
  /** Resolves when no handler is busy. */
  idle(): Promise<void>;
}

/** The message of a topic; undefined when the topic is none that adaptors publish to. */
export const upMessageOf = (topic: string, payload: Uint8Array): UpMessage | undefined => {
  const parsed = parseTopic(topic);
  if (parsed === undefined || !parsed.channel.startsWith('up/')) return undefined;
  return { adaptorUuid: parsed.adaptorUuid, kind: parsed.channel.slice('up/'.length) as UpKind, payload };
};

export const createUpDispatch = (log: DispatchLog): UpDispatch => {
  const handlers = new Map<UpKind, UpHandler>();
  const busy = new Set<Promise<void>>();

  const run = async (handler: UpHandler, message: UpMessage): Promise<void> => {
    try {
      await handler(message);
    } catch (error) {
      const { adaptorUuid, kind } = message;
      log.error({ adaptorUuid, kind, err: error }, 'a message of an adaptor could not be handled');
      throw error;
    }
  };

  const forget = (work: Promise<void>) => (): void => {
    busy.delete(work);
  };

  return {
    handle: (kind, handler) => {
      if (handlers.has(kind)) throw new Error(`messages of kind ${kind} have a handler already`);
      handlers.set(kind, handler);
    },
    dispatch: (message) => {
      const handler = handlers.get(message.kind);
      if (handler === undefined) return Promise.resolve();
      const work = run(handler, message);
      busy.add(work);
      work.then(forget(work), forget(work));
      return work;
    },
    idle: async () => {
      while (busy.size > 0) await Promise.allSettled(busy);
    },
  };
};

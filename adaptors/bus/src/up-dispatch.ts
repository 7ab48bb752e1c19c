import { parseTopic } from '@fds/adaptor-protocol';
import type { UpHandler, UpKind, UpMessage, UpObserver } from './server-bus.js';

/** Logs a fault in one line; never payloads. */
export interface DispatchLog {
  error(detail: object, message: string): void;
}

/** The handlers of the server's end, and their work in progress. */
export interface UpDispatch {
  /** @throws Error when the kind has a handler already */
  handle(kind: UpKind, handler: UpHandler): void;
  /** See `ServerBus.observe`. */
  observe(kind: UpKind, observer: UpObserver): void;
  /**
   * Hands a message to the observers of its kind and then to its handler, at once and in the order of the calls. Drops
   * a message whose kind has no handler. When the handler fails, logs the failure and rejects.
   */
  dispatch(message: UpMessage): Promise<void>;
  /** See `ServerBus.reportsHandled`. */
  reportsHandled(adaptorUuid: string): Promise<unknown> | undefined;
  /** Resolves when no handler is running. */
  idle(): Promise<void>;
}

/**
 * The message of a topic. Undefined when adaptors do not publish to the topic, or when the message is for another
 * process.
 *
 * @param instance name of this process in `replyinstance`
 */
export const upMessageOf = (topic: string, payload: Uint8Array, instance: string): UpMessage | undefined => {
  const parsed = parseTopic(topic);
  if (parsed === undefined || !parsed.channel.startsWith('up/')) return undefined;
  if (parsed.instance !== undefined && parsed.instance !== instance) return undefined;
  return { adaptorUuid: parsed.adaptorUuid, kind: parsed.channel.slice('up/'.length) as UpKind, payload };
};

export const createUpDispatch = (log: DispatchLog): UpDispatch => {
  const handlers = new Map<UpKind, UpHandler>();
  const observers = new Map<UpKind, UpObserver[]>();
  const busy = new Set<Promise<void>>();
  /** By adaptor, the reports that are being handled. */
  const reports = new Map<string, Set<Promise<void>>>();

  const run = async (handler: UpHandler, message: UpMessage): Promise<void> => {
    try {
      await handler(message);
    } catch (error) {
      const { adaptorUuid, kind } = message;
      log.error({ adaptorUuid, kind, err: error }, 'a message of an adaptor could not be handled');
      throw error;
    }
  };

  const show = (message: UpMessage): void => {
    for (const observer of observers.get(message.kind) ?? []) {
      try {
        observer(message);
      } catch (error) {
        const { adaptorUuid, kind } = message;
        log.error({ adaptorUuid, kind, err: error }, 'an observer of the bus failed');
      }
    }
  };

  const forget = (work: Promise<void>) => (): void => {
    busy.delete(work);
  };

  const noteReport = (adaptorUuid: string, work: Promise<void>): void => {
    const ofAdaptor = reports.get(adaptorUuid) ?? new Set();
    reports.set(adaptorUuid, ofAdaptor.add(work));
    const forgetReport = (): void => {
      ofAdaptor.delete(work);
      if (ofAdaptor.size === 0) reports.delete(adaptorUuid);
    };
    work.then(forgetReport, forgetReport);
  };

  return {
    handle: (kind, handler) => {
      if (handlers.has(kind)) throw new Error(`messages of kind ${kind} have a handler already`);
      handlers.set(kind, handler);
    },
    observe: (kind, observer) => {
      observers.set(kind, [...(observers.get(kind) ?? []), observer]);
    },
    dispatch: (message) => {
      show(message);
      const handler = handlers.get(message.kind);
      if (handler === undefined) return Promise.resolve();
      const work = run(handler, message);
      busy.add(work);
      work.then(forget(work), forget(work));
      if (message.kind === 'ops') noteReport(message.adaptorUuid, work);
      return work;
    },
    reportsHandled: (adaptorUuid) => {
      const ofAdaptor = reports.get(adaptorUuid);
      return ofAdaptor === undefined ? undefined : Promise.allSettled(ofAdaptor);
    },
    idle: async () => {
      while (busy.size > 0) await Promise.allSettled(busy);
    },
  };
};

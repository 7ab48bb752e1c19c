import type { DownKind, ServerBus, UpHandler, UpKind, UpObserver } from '@fds/adaptor-bus';

/** Takes the server's messages to one adaptor. */
type DownListener = (kind: DownKind, payload: string) => void;

/** A bus of one process, for tests: carries in order, forgets at once. */
export interface MemoryBus extends ServerBus {
  /** Connects an adaptor; the returned function cuts the connection. */
  connect(adaptorUuid: string, listener: DownListener): () => void;
  /** The messages that the adaptor publishes. */
  publishUp(adaptorUuid: string, kind: UpKind, payload: string): void;
}

export const createMemoryBus = (): MemoryBus => {
  const handlers = new Map<UpKind, UpHandler>();
  const observers = new Map<UpKind, UpObserver[]>();
  const listeners = new Map<string, DownListener>();
  const encoder = new TextEncoder();
  const reports = new Map<string, Promise<unknown>>();
  let closed = false;
  return {
    connected: true,
    reportsHandled: (adaptorUuid) => reports.get(adaptorUuid),
    replyInstance: 'memory',
    observe: (kind, observer) => {
      observers.set(kind, [...(observers.get(kind) ?? []), observer]);
    },
    handle: (kind, handler) => {
      handlers.set(kind, handler);
    },
    publish: async (adaptorUuid, kind, payload) => {
      if (!closed) listeners.get(adaptorUuid)?.(kind, payload);
    },
    connect: (adaptorUuid, listener) => {
      listeners.set(adaptorUuid, listener);
      return () => {
        if (listeners.get(adaptorUuid) === listener) listeners.delete(adaptorUuid);
      };
    },
    publishUp: (adaptorUuid, kind, payload) => {
      if (closed) return;
      const message = { adaptorUuid, kind, payload: encoder.encode(payload) };
      for (const observer of observers.get(kind) ?? []) observer(message);
      // a broker hands over and does not wait for the handler
      const handled = Promise.resolve(handlers.get(kind)?.(message)).catch(() => undefined);
      if (kind === 'ops') reports.set(adaptorUuid, Promise.all([reports.get(adaptorUuid), handled]));
    },
    close: async () => {
      closed = true;
    },
  };
};

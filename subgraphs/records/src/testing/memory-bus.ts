import type { DownKind, ServerBus, UpKind } from '@fds/adaptor-bus';
import { createUpDispatch } from '@fds/adaptor-bus/up-dispatch';

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
  const dispatch = createUpDispatch({ error: () => undefined });
  const listeners = new Map<string, DownListener>();
  const encoder = new TextEncoder();
  let closed = false;
  return {
    connected: true,
    reconnections: 0,
    reportsHandled: (adaptorUuid) => dispatch.reportsHandled(adaptorUuid),
    replyInstance: 'memory',
    observe: (kind, observer) => dispatch.observe(kind, observer),
    handle: (kind, handler) => dispatch.handle(kind, handler),
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
      // a broker hands over and does not wait for the handler
      void dispatch.dispatch({ adaptorUuid, kind, payload: encoder.encode(payload) }).catch(() => undefined);
    },
    close: async () => {
      closed = true;
    },
  };
};

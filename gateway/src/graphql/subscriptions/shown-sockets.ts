import { repeatEvery, type Closable, type Log } from '@fds/service';
import type { EventEntry } from '@fds/change-events';

/** A subscription as the list of notifications shows it. */
interface Entry {
  readonly name: string;
  readonly events: readonly EventEntry[];
}

/** Stores the open websockets that are shown. */
interface SocketStore {
  register(socket: {
    readonly uuid: string;
    readonly userUuid: string;
    readonly instanceUuid: string;
    readonly subscriptions: readonly Entry[];
  }): Promise<void>;
  unregister(socketUuid: string): Promise<void>;
  renew(instanceUuid: string): Promise<void>;
  unregisterAll(instanceUuid: string): Promise<void>;
}

/** A websocket in GET `/notifications`. It appears with its first subscription. */
export interface ShownSocket {
  add(userUuid: string, subscription: Entry): { readonly remove: () => void } | 'TOO_MANY';
}

export interface ShownSockets extends Closable {
  open(): ShownSocket;
}

export interface ShownSocketsOptions {
  readonly store: SocketStore;
  readonly instanceUuid: string;
  readonly newUuid: () => string;
  /** A websocket of a killed process is shown for twice this time. */
  readonly renewMs: number;
  readonly maxPerSocket: number;
  readonly onBoundHit: (bound: 'subscriptions') => void;
  readonly log: Log;
}

/** Shows websockets with subscriptions. A subscription continues while the database cannot be reached. */
export const createShownSockets = (options: ShownSocketsOptions): ShownSockets => {
  const { store, instanceUuid, newUuid, renewMs, maxPerSocket, onBoundHit, log } = options;
  let shown = 0;
  const warn = (error: unknown): void => log.warn({ err: error }, 'websockets could not be shown');
  const renewal = repeatEvery({
    intervalMs: renewMs,
    work: async () => (shown > 0 ? store.renew(instanceUuid) : undefined),
    log,
    onFailure: 'websockets could not be shown',
  });

  return {
    open: () => {
      const uuid = newUuid();
      const entries = new Set<Entry>();
      let last: Promise<void> = Promise.resolve();
      const save = (userUuid: string): void => {
        last = last.then(async () => {
          const subscriptions = [...entries];
          await (
            subscriptions.length === 0
              ? store.unregister(uuid)
              : store.register({ uuid, userUuid, instanceUuid, subscriptions })
          ).catch(warn);
        });
      };
      return {
        add: (userUuid, subscription) => {
          if (entries.size >= maxPerSocket) {
            onBoundHit('subscriptions');
            return 'TOO_MANY';
          }
          const entry = { ...subscription };
          if (entries.size === 0) shown += 1;
          entries.add(entry);
          save(userUuid);
          return {
            remove: () => {
              if (!entries.delete(entry)) return;
              if (entries.size === 0) shown -= 1;
              save(userUuid);
            },
          };
        },
      };
    },
    close: async () => {
      await renewal.close();
      await store.unregisterAll(instanceUuid).catch(warn);
    },
  };
};

import { ownedKinds, ownerSubscriptions, serverSubscriptions, topicOf } from '@fds/adaptor-protocol';
import { type ConnectionLog, openMqttConnection } from './mqtt-connection.js';
import type { ServerBus, UpKind } from './server-bus.js';
import { createUpDispatch, type DispatchLog, upMessageOf } from './up-dispatch.js';

export interface ServerBusOptions {
  /** `tcp://host:port` of an MQTT 3.1.1 broker that lets this user subscribe to `up` and publish to `down`. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** Unique for each server process. */
  readonly clientId: string;
  /**
   * The messages that this process handles; it does not receive others. Those that only the owner of an adaptor takes arrive
   * for the adaptors that it follows. Default: everything of all adaptors.
   */
  readonly kinds?: readonly UpKind[];
  /**
   * Name of this process in `replyinstance`: 1 to 64 letters, digits, `-` and `_`. No other process may have the same
   * name.
   */
  readonly instance: string;
  readonly log: ConnectionLog & DispatchLog;
}

/**
 * The server's end on an external broker. It connects in the background and stays connected; `connected` is the current
 * state. An acknowledgement of the broker means only that the broker has the message. The bus's own acknowledgements
 * mean that the message was handled.
 */
export const connectServerBus = ({ kinds, instance, log, ...server }: ServerBusOptions): ServerBus => {
  const dispatch = createUpDispatch(log);
  let closed: Promise<void> | undefined;
  let connections = 0;
  const followed = new Set<string>();
  const isOwned = (kind: string): boolean => (ownedKinds as readonly string[]).includes(kind);
  const followsEach = kinds?.some(isOwned) === true;
  const connection = openMqttConnection({
    ...server,
    subscriptions: () => [
      ...serverSubscriptions({
        ...(kinds === undefined ? {} : { kinds: kinds.filter((kind) => !isOwned(kind)) }),
        ...(kinds === undefined || kinds.includes('rsp') ? { instance } : {}),
      }),
      ...[...followed].flatMap(ownerSubscriptions),
    ],
    onUp: () => {
      connections += 1;
    },
    onDown: () => undefined,
    onMessage: (topic, payload) => {
      if (closed !== undefined) return;
      const message = upMessageOf(topic, payload, instance);
      // a failure is logged; a message without acknowledgement arrives again
      if (message !== undefined) dispatch.dispatch(message).catch(() => undefined);
    },
    log,
  });

  const close = async (): Promise<void> => {
    await dispatch.idle();
    await connection.close();
  };

  const follow = async (adaptorUuids: readonly string[]): Promise<void> => {
    const fresh = adaptorUuids.filter((uuid) => !followed.has(uuid));
    for (const uuid of fresh) followed.add(uuid);
    if (fresh.length > 0) await connection.subscribe(fresh.flatMap(ownerSubscriptions));
  };
  const unfollow = (adaptorUuids: readonly string[]): void => {
    const known = adaptorUuids.filter((uuid) => followed.delete(uuid));
    if (known.length > 0) connection.unsubscribe(known.flatMap(ownerSubscriptions));
  };

  return {
    ...(followsEach ? { follow, unfollow } : {}),
    handle: (kind, handler) => dispatch.handle(kind, handler),
    observe: (kind, observer) => dispatch.observe(kind, observer),
    reportsHandled: (adaptorUuid) => dispatch.reportsHandled(adaptorUuid),
    replyInstance: instance,
    publish: (adaptorUuid, kind, payload) =>
      connection.publish(topicOf({ adaptorUuid, channel: `down/${kind}` }), payload),
    get connected() {
      return connection.connected;
    },
    get reconnections() {
      return Math.max(0, connections - 1);
    },
    close: () => (closed ??= close()),
  };
};

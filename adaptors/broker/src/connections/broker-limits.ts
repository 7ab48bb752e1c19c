import { maxPayloadBytes, windowSize } from '@fds/adaptor-protocol';

/** Limits of one connection, of one address, and of all connections together. */
export interface BrokerLimits {
  /** Largest MQTT packet without its head, in bytes. */
  readonly maxPacketBytes: number;
  /** Most connections in all. */
  readonly maxConnections: number;
  /** Most connections that are not authenticated yet, in all. */
  readonly maxPending: number;
  /** Most connections of one address that are not authenticated yet. */
  readonly maxPendingPerAddress: number;
  /** Time from the start of a connection until it is authenticated, in milliseconds. */
  readonly connectMs: number;
  /** Most bytes that wait for a client that does not read. */
  readonly maxUnreadBytes: number;
  /** The same for all clients together: the one that leaves most unread is ended first. */
  readonly maxUnreadTotalBytes: number;
  /** Most topic filters that a client is subscribed to. */
  readonly maxSubscriptions: number;
}

/** A payload of the largest size, its topic and the packet's other members. */
const defaultMaxPacketBytes = maxPayloadBytes + 1024;

/** A whole window of the largest messages, and room for other messages. */
const defaultMaxUnreadBytes = (windowSize + 64) * maxPayloadBytes;

export const defaultBrokerLimits: BrokerLimits = {
  maxPacketBytes: defaultMaxPacketBytes,
  maxConnections: 4_096,
  maxPending: 1_024,
  maxPendingPerAddress: 256,
  connectMs: 10_000,
  maxUnreadBytes: defaultMaxUnreadBytes,
  maxUnreadTotalBytes: 256 * 2 ** 20,
  maxSubscriptions: 16,
};

/** Bounds of the broker, as they are counted. */
export type BrokerBound =
  | 'bus_packet'
  | 'bus_connections'
  | 'bus_pending_connections'
  | 'bus_connect_time'
  | 'bus_unread'
  | 'bus_subscriptions';

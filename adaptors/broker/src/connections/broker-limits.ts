import { maxPayloadBytes, windowSize } from '@fds/adaptor-protocol';

/** Limits of one connection, of one address, and of all connections together. */
export interface BrokerLimits {
  /** Largest MQTT packet without its header, in bytes. */
  readonly maxPacketBytes: number;
  /** Maximum number of connections. */
  readonly maxConnections: number;
  /** Maximum number of connections that are not authenticated yet. */
  readonly maxPending: number;
  /** Maximum number of connections from one address that are not authenticated yet. */
  readonly maxPendingPerAddress: number;
  /** Time from the start of a connection until it is authenticated, in milliseconds. */
  readonly connectMs: number;
  /** Maximum number of bytes that wait for a client that does not read. */
  readonly maxUnreadBytes: number;
  /**
   * Maximum number of bytes that wait for all clients together. The client with the most unread bytes is closed first.
   */
  readonly maxUnreadTotalBytes: number;
  /** Maximum number of topic filters that a client may subscribe to. */
  readonly maxSubscriptions: number;
}

/** A payload of the largest size, its topic and the other fields of the packet. */
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

/** Name of each limit, for the metric that counts how often the limit was reached. */
export type BrokerBound =
  | 'bus_packet'
  | 'bus_connections'
  | 'bus_pending_connections'
  | 'bus_connect_time'
  | 'bus_unread'
  | 'bus_subscriptions';

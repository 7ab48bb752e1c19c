/** Resources that one socket, one caller, and all callers together may use. */
export interface SocketLimits {
  /** Largest message, in bytes. */
  readonly maxMessageBytes: number;
  /** Most bytes that a socket may send before it has signed in. */
  readonly maxPendingBytes: number;
  /** Most sockets in all. */
  readonly maxSockets: number;
  /** Most sockets of one caller. */
  readonly maxSocketsPerCaller: number;
  /** Most sockets that have not signed in, in all. */
  readonly maxPending: number;
  /** Most sockets of one address that have not signed in. */
  readonly maxPendingPerAddress: number;
  /** Time until connection_init must arrive, in milliseconds. */
  readonly initMs: number;
  /** Most operations of a socket that are executed or whose answers are not sent yet. */
  readonly maxOperations: number;
  /** The same for all sockets of one caller. */
  readonly maxOperationsPerCaller: number;
  /** Unread characters of answers at which a socket starts no further operation. */
  readonly maxUnread: number;
  /** The same for all sockets of one caller. */
  readonly maxUnreadPerCaller: number;
  /** The same for all sockets. */
  readonly maxUnreadInAll: number;
  /** Time after which a socket ends whose client reads nothing, in milliseconds. */
  readonly unreadMs: number;
}

export const defaultSocketLimits: SocketLimits = {
  maxMessageBytes: 2 ** 20,
  maxPendingBytes: 32 * 1024,
  maxSockets: 4_000,
  maxSocketsPerCaller: 1_000,
  maxPending: 2_048,
  maxPendingPerAddress: 1_024,
  initMs: 3_000,
  maxOperations: 16,
  maxOperationsPerCaller: 64,
  maxUnread: 2 ** 20,
  maxUnreadPerCaller: 16 * 2 ** 20,
  maxUnreadInAll: 128 * 2 ** 20,
  unreadMs: 30_000,
};

/** The bounds of sockets that are counted. */
export type SocketBound = 'sockets' | 'pending_sockets' | 'socket_message' | 'socket_unread';

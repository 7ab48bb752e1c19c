/** Messages of adaptors: the topic below `fds/v1/a/<adaptorUuid>/up/`. */
export type UpKind = 'data' | 'ack' | 'hello' | 'ops' | 'status' | 'rsp' | 'link' | 'log';

/** Messages of the server: the topic below `fds/v1/a/<adaptorUuid>/down/`. */
export type DownKind = 'data' | 'ack' | 'hello' | 'ops' | 'req' | 'check';

export interface UpMessage {
  /** Taken from the topic, never from the payload: the broker lets each adaptor publish only to its own topics. */
  readonly adaptorUuid: string;
  readonly kind: UpKind;
  /** UTF-8 JSON, at most 256 KiB; not parsed, not trusted. */
  readonly payload: Uint8Array;
}

/**
 * Settles when the message was handled. A rejection is logged; the sender sends the message again if it was not
 * acknowledged.
 */
export type UpHandler = (message: UpMessage) => Promise<void> | void;

/** Sees a message before its handler does. Must not throw; acknowledgements do not wait for it. */
export type UpObserver = (message: UpMessage) => void;

/**
 * The server's end of the adaptor bus. It stores no messages: sequences and acknowledgements make sure that none is
 * lost.
 */
export interface ServerBus {
  /** Sets the handler of a kind of message. A kind has one handler. Messages of one adaptor arrive in order. */
  handle(kind: UpKind, handler: UpHandler): void;
  /**
   * Adds an observer, which sees each message of the kind. A kind may have several observers, with or without a
   * handler.
   */
  observe(kind: UpKind, observer: UpObserver): void;
  /**
   * Resolves when the messages of kind `ops` that have arrived from the adaptor are handled by this process. Undefined: none
   * is in progress.
   */
  reportsHandled(adaptorUuid: string): Promise<unknown> | undefined;
  /** Only this process receives the answers that adaptors publish to `up/rsp/<replyInstance>`. */
  readonly replyInstance: string;
  /** Sends with QoS 1. Resolves when the broker has the message; rejects when the bus is not connected. */
  publish(adaptorUuid: string, kind: DownKind, payload: string): Promise<void>;
  /**
   * Receives `data`, `ack`, `link` and `hello` of these adaptors from now on. Resolves when the subscriptions are active; without a
   * connection at once, and they become active with it. Undefined: the bus receives these messages of all adaptors.
   */
  readonly follow?: ((adaptorUuids: readonly string[]) => Promise<void>) | undefined;
  /** Receives them no longer. */
  readonly unfollow?: ((adaptorUuids: readonly string[]) => void) | undefined;
  /** Shown at /health. */
  readonly connected: boolean;
  /** Connections after the first one. */
  readonly reconnections: number;
  /** Accepts no more messages, waits for handlers in flight, then disconnects. Idempotent. */
  close(): Promise<void>;
}

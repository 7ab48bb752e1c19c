/** Messages of adaptors: the topic below `fds/v1/a/<adaptorUuid>/up/`. */
export type UpKind = 'data' | 'ack' | 'hello' | 'ops' | 'status' | 'rsp' | 'link' | 'log';

/** Messages of the server: the topic below `fds/v1/a/<adaptorUuid>/down/`. */
export type DownKind = 'data' | 'ack' | 'hello' | 'ops' | 'req';

export interface UpMessage {
  /** From the topic, which the broker let the adaptor's credentials publish to; never from the payload. */
  readonly adaptorUuid: string;
  readonly kind: UpKind;
  /** UTF-8 JSON, at most 256 KiB; not parsed, not trusted. */
  readonly payload: Uint8Array;
}

/** Settles when the message is dealt with. A rejection is logged; the sender resends what was not acknowledged. */
export type UpHandler = (message: UpMessage) => Promise<void> | void;

/** Sees a message before its handler does. Must not throw; acknowledgements do not wait for it. */
export type UpObserver = (message: UpMessage) => void;

/** The server's end of the adaptor bus. It carries and does not remember: sequences and acknowledgements do. */
export interface ServerBus {
  /** Takes over a kind of message. One handler per kind; messages of one adaptor arrive in order. */
  handle(kind: UpKind, handler: UpHandler): void;
  /** Shows each message of the kind to the observer too. A kind may have several observers, with or without a handler. */
  observe(kind: UpKind, observer: UpObserver): void;
  /** Answers that adaptors publish to `up/rsp/<replyInstance>` come to this process and to no other. */
  readonly replyInstance: string;
  /** Sends with QoS 1. Resolves when the broker has it; rejects when the bus is not connected. */
  publish(adaptorUuid: string, kind: DownKind, payload: string): Promise<void>;
  /** For /health. */
  readonly connected: boolean;
  /** Stops taking messages, waits for handlers in flight, disconnects. Idempotent. */
  close(): Promise<void>;
}

import type {
  Ack,
  AdaptorError,
  AnsweredRecord,
  AssemblyRequest,
  DiscoveredReport,
  DownDataEvent,
  Hello,
  JsonObject,
  Link,
  OpsAnswer,
  OpsRequest,
  StatusReport,
  UpDataEvent,
  WaitingReport,
} from '@fds/adaptor-protocol';

/** An event of the adaptor as the hub received it. */
export interface TakenEvent {
  readonly sequence: number;
  readonly event: UpDataEvent;
  /** The last number that the adaptor had acknowledged when the event arrived. */
  readonly acknowledgedBefore: number;
}

/** All messages of the adaptor since the hub was opened. */
export interface Heard {
  readonly states: StatusReport[];
  readonly answers: OpsAnswer[];
  readonly errors: AdaptorError[];
  readonly waiting: WaitingReport[];
  /** Reports of complete scans, with the number of the adaptor's events that the hub had acknowledged before. */
  readonly discovered: { readonly report: DiscoveredReport; readonly eventsBefore: number }[];
  /** Issues whose notices the adaptor acknowledged. */
  readonly takenNotices: string[];
  readonly links: Link[];
  readonly acks: Ack[];
  readonly hellos: Hello[];
  readonly events: TakenEvent[];
  /** Messages that violate the contract. */
  readonly faults: string[];
}

/** A message bus and the server's end of the contract for one adaptor, in memory. */
export interface Hub {
  /** Address of the message bus. */
  readonly url: string;
  readonly adaptorUuid: string;
  readonly secret: string;
  readonly heard: Heard;
  /** The epoch in which the hub numbers events for the adaptor. */
  readonly epoch: string;
  /** Last number of the current epoch that the adaptor has acknowledged. */
  readonly acknowledged: number;
  /** Last assigned number of the current epoch. */
  readonly assigned: number;
  /** Queues events for the adaptor. */
  send(events: readonly DownDataEvent[]): void;
  /** Publishes a payload to `down/data` instead of the next event, or repeats an event. */
  sendRaw(payload: string): void;
  /** The message of a queued event, by its number in the current epoch. */
  messageOf(sequence: number): string;
  /** Number of batches that were sent. */
  readonly batchesSent: number;
  /** Publishes a payload to `down/ops`. */
  sendOps(payload: string): void;
  operate(request: Omit<OpsRequest, 'requestId'>): string;
  /** Sends METADATA with the complete configuration, as the server does after a change. */
  configure(): string;
  /** Requests records. Rejects when the adaptor answers with an error, or does not answer in time. */
  ask(request: Pick<AssemblyRequest, 'domain' | 'version' | 'records'>): Promise<readonly AnsweredRecord[]>;
  /** How far the hub's clock is ahead of this machine's. */
  skewMs: number;
  /** State in START. */
  startState: 'PLAY' | 'PAUSE';
  /** Whether the hub offers batches in its hellos, and sends batches to an adaptor that offers them. Default: false. */
  usesBatches: boolean;
  /** Metadata in START and METADATA. */
  metadata: JsonObject;
  /** `discoveryMode` in START and METADATA. Default: false. */
  discoveryMode: boolean;
  /** Whether the hub accepts and acknowledges data of the adaptor. */
  takesData: boolean;
  /** Number of messages on `up/data` that were dropped, because the hub accepted none. */
  readonly dataDropped: number;
  /** Drops both sequences, like a server on a restored database. Unacknowledged events stay queued. */
  loseMemory(): void;
  /** Forgets the events of the adaptor's current epoch, like a server on a database that was restored. */
  goBack(): void;
  /** Closes the adaptor's connections; the adaptor may reconnect. */
  disconnect(): void;
  close(): Promise<void>;
}

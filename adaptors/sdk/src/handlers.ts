import type {
  AdaptorError,
  AnsweredRecord,
  AssemblyRequest,
  DeletionLimit,
  DomainVersionKey,
  DownDataEvent,
  JsonObject,
  JsonValue,
  Position,
  Refusal,
} from '@fds/adaptor-protocol';

export interface Capability {
  readonly domainName: string;
  readonly versionNumber: number;
  readonly action: 'POST' | 'PUT' | 'DELETE' | 'GET';
  readonly direction?: 'IN' | 'OUT' | null;
}

/** The configuration that the server keeps for the adaptor. The server sends it with START and after each change. */
export interface AdaptorConfiguration {
  readonly metadata: JsonObject;
  readonly capabilities: readonly Capability[];
  /**
   * The existing domain versions that the capabilities name, with their DR Key properties and models. Empty if the
   * server does not send them. A large model may be absent.
   */
  readonly domainVersions: readonly DomainVersionKey[];
  /**
   * True: the adaptor only reports existing records. `publish` marks the events; the server links their records and
   * routes none of them.
   */
  readonly discoveryMode: boolean;
  /**
   * The adaptor's `deletionLimit`: the server keeps further deletions of a version back. Null: it has none. Undefined: the
   * server does not say.
   */
  readonly deletionLimit?: DeletionLimit | null;
}

/**
 * A change to apply. `drKey` and `jsonData` are also available in parsed form; the texts are for handlers that pass
 * them on.
 */
export interface IncomingEvent extends DownDataEvent {
  /** Parsed `jsonData`. An absent property was not sent or is not for this adaptor. Null is a value. */
  readonly json: JsonObject;
  /** Parsed `drKey`: values in the order of the domain version's DR Key properties. */
  readonly drKeyValues: readonly JsonValue[];
  /** Position of the event in the adaptor's sequence; unique for each event. */
  readonly position: { readonly epoch: string; readonly sequence: number };
}

/** A property that an event was applied without. */
export interface NotApplied {
  readonly property: string;
  /** For a steward: for example `no column is mapped to it`. */
  readonly reason: string;
}

export interface Applied {
  /** The DR Key of the record in this adaptor, if it differs from the DR Key in the event. */
  readonly drKey?: JsonObject;
  /** The event was applied without these properties. The SDK reports them to the server as a warning of the event. */
  readonly notApplied?: readonly NotApplied[];
  /**
   * Properties of the event that the handler did not write, because the source holds a value that was not reported (see
   * `mergeEvent`). For a DELETE: the unreported properties for which the record stays. The handler must report the record
   * next. The SDK remembers durably that this report has not seen the event, so the server decides by the order of its
   * commits.
   */
  readonly kept?: readonly string[];
}

export interface Assembled {
  readonly records: readonly AnsweredRecord[];
  /** Total number of records on all pages, for requests that name no records. */
  readonly totalElements?: number;
}

/** Handlers of one domain version. Each has the contract of the general handler (`apply`, `assemble`). */
export interface DomainHandlers {
  post?(event: IncomingEvent): Promise<Applied | void> | Applied | void;
  put?(event: IncomingEvent): Promise<Applied | void> | Applied | void;
  delete?(event: IncomingEvent): Promise<Applied | void> | Applied | void;
  /** Answers assembly requests. */
  get?(request: AssemblyRequest, signal: AbortSignal): Promise<Assembled>;
  /** Health for `<domain>:<version>` at the health endpoint. Default UP. */
  health?(): 'UP' | 'DOWN';
}

/** Handlers by domain version; a key is for example `customer:1`. */
export type DomainTable = Readonly<Record<`${string}:${number}`, DomainHandlers>>;

/** Handlers that an adaptor author writes. Every handler is optional. */
export interface AdaptorHandlers {
  /**
   * Handlers by domain version and action. They take precedence over `apply` and `assemble`. With this table, an event
   * that has a handler neither here nor in `apply` becomes a data issue.
   */
  readonly domains?: DomainTable;
  /**
   * Takes over a configuration: on START before `play`, and on every change. `${NAME}` in texts of the metadata is
   * replaced by the environment variable of the process. If it throws, the adaptor refuses the configuration, reports
   * state ERROR with the message, and continues with its previous configuration.
   *
   * @throws ConfigurationError to request another attempt; after any other error, only a changed configuration is tried
   */
  configure?(configuration: AdaptorConfiguration): Promise<void> | void;
  /** Starts or continues to read the source. Events that are published from now on are sent. */
  play?(): Promise<void> | void;
  /** Stops reading the source. Resolves when the handlers will publish nothing more. Also called before a stop. */
  pause?(): Promise<void> | void;
  /**
   * Applies a change to the source system. Events of one message group are applied one after the other; events of
   * different groups may overlap (property `concurrency`). After a crash, an event may be applied again: be idempotent,
   * or use `applied`.
   *
   * @throws ApplyError to request another attempt, or to name the failure to a steward; any other error is final. A
   * final failure is reported to the server as a data issue, and the event counts as done.
   */
  apply?(event: IncomingEvent): Promise<Applied | void> | Applied | void;
  /**
   * For handlers that write events of different groups together: `apply` gets up to so many events at the same time for each
   * unit of `concurrency`, and the handler itself limits what it does at the same time. Default 1.
   */
  readonly together?: number;
  /** For handlers that commit effect and position together. Without it, an event is applied at least once. */
  readonly applied?: AppliedStore;
  /**
   * Reads live records. Omits records that it does not know.
   *
   * @param signal aborts when no caller waits for the answer any longer
   */
  assemble?(request: AssemblyRequest, signal: AbortSignal): Promise<Assembled>;
  /**
   * Called when an event that this adaptor published became a data issue. The SDK has logged it. It acknowledges the
   * notice once this call has settled, even by an error. After a lost connection or a crash, the same issue may be
   * reported again.
   */
  refused?(refusal: Refusal): Promise<void> | void;
  /** Clears caches and reads the source again. */
  refreshState?(): Promise<void> | void;
  /** Health of each domain handler by `<domain>:<version>`, for the health endpoint. */
  health?(): Readonly<Record<string, 'UP' | 'DOWN'>>;
  /** The last call, after `pause`: closes everything that the handlers opened. */
  stop?(): Promise<void> | void;
}

/**
 * Positions that a handler stored in the same transaction as the effect. With them, an event's effect happens once even
 * if the process dies between the effect and the acknowledgement.
 */
export interface AppliedStore {
  /** Was the effect of this event committed? An error counts as a failed attempt to apply the event. */
  has(position: IncomingEvent['position']): Promise<boolean> | boolean;
  /** Deletes positions up to this one: `has` is not called for them again. */
  forget(upto: Position): Promise<void> | void;
}

/**
 * When a refused configuration is tried again. NEVER. SOON: after 1 second, with delays that grow up to a minute.
 * RARELY: after 30 seconds, with delays that grow up to ten minutes.
 */
export type ConfigurationRetry = 'NEVER' | 'SOON' | 'RARELY';

/** The adaptor cannot use a configuration. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly retry: ConfigurationRetry;

  constructor(message: string, options: { readonly retry?: ConfigurationRetry; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.retry = options.retry ?? 'NEVER';
  }
}

/**
 * How often an event is tried again. NEVER. A_FEW_TIMES: five attempts within three seconds. UNTIL_IT_WORKS: it waits in
 * the journal. WHILE_OTHERS_WORK: it waits there, because an event that comes later may remove the cause, such as the row
 * that this one refers to. It is final when no event came and none was applied for ten seconds, after an hour, or
 * when waiting events fill half of the journal.
 *
 * While an event waits, its message group waits, and the events of other groups are applied, also with `concurrency` 1.
 */
export type Retry = 'NEVER' | 'A_FEW_TIMES' | 'UNTIL_IT_WORKS' | 'WHILE_OTHERS_WORK';

/** An event could not be applied. */
export class ApplyError extends Error {
  override readonly name = 'ApplyError';
  readonly retry: Retry;
  /** The cause of the failure. A final failure of every kind becomes a data issue. */
  readonly kind: AdaptorError['kind'];
  /** One sentence for a steward that says what happened. It becomes the title of the data issue. */
  readonly title: string | undefined;
  /** The properties that caused the failure. */
  readonly properties: readonly string[] | undefined;
  /**
   * With UNTIL_IT_WORKS and WHILE_OTHERS_WORK: names the resource that the event waits for, such as a folder or a table.
   * The events that wait for one resource are tried with one of them, and all follow soon after it was applied. Default:
   * the event waits for itself.
   */
  readonly waitsFor: string | undefined;

  constructor(
    message: string,
    options: {
      readonly retry?: Retry;
      readonly kind?: AdaptorError['kind'];
      readonly title?: string | undefined;
      readonly properties?: readonly string[] | undefined;
      readonly waitsFor?: string | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.retry = options.retry ?? 'NEVER';
    this.kind = options.kind ?? 'DATA';
    this.title = options.title;
    this.properties = options.properties;
    this.waitsFor = options.waitsFor;
  }
}

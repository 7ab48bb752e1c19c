import type {
  AdaptorError,
  AnsweredRecord,
  AssemblyRequest,
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

/** The configuration that the server keeps for the adaptor. It comes with START and whenever it is changed. */
export interface AdaptorConfiguration {
  readonly metadata: JsonObject;
  readonly capabilities: readonly Capability[];
  /**
   * The domain versions that the capabilities name and that exist, with their DR Key properties and models. Empty from a
   * server that does not send them; a large model may be left out.
   */
  readonly domainVersions: readonly DomainVersionKey[];
  /** Report existing records: `publish` marks the events, and the server links their records and routes nothing. */
  readonly discoveryMode: boolean;
}

/** A change to apply. `drKey` and `jsonData` are read already; the texts remain for those who pass them on. */
export interface IncomingEvent extends DownDataEvent {
  /** `jsonData`. An absent property was not sent or is not for this adaptor; null is a value. */
  readonly json: JsonObject;
  /** `drKey`: values in the order of the domain version's DR Key properties. */
  readonly drKeyValues: readonly JsonValue[];
  /** Where the event stands in the adaptor's sequence; never the same for two events. */
  readonly position: { readonly epoch: string; readonly sequence: number };
}

export interface Applied {
  /** The DR Key the record has in this adaptor, when it is not the one that came with the event. */
  readonly drKey?: JsonObject;
}

export interface Assembled {
  readonly records: readonly AnsweredRecord[];
  /** Total of all pages; for requests that name no records. */
  readonly totalElements?: number;
}

/** Handlers of one domain version. Each promises what the general one (`apply`, `assemble`) does. */
export interface DomainHandlers {
  post?(event: IncomingEvent): Promise<Applied | void> | Applied | void;
  put?(event: IncomingEvent): Promise<Applied | void> | Applied | void;
  delete?(event: IncomingEvent): Promise<Applied | void> | Applied | void;
  /** Answers assembly requests. */
  get?(request: AssemblyRequest, signal: AbortSignal): Promise<Assembled>;
  /** Default UP. Shown at the health endpoint under `<domain>:<version>`. */
  health?(): 'UP' | 'DOWN';
}

/** `customer:1` and its like, to the handlers of that domain version. */
export type DomainTable = Readonly<Record<`${string}:${number}`, DomainHandlers>>;

/** Handlers that an adaptor author writes. Every handler may be left out. */
export interface AdaptorHandlers {
  /**
   * Handlers by domain version and action. They come before `apply` and `assemble`. With this table, an event that
   * neither it nor `apply` takes becomes a data issue.
   */
  readonly domains?: DomainTable;
  /**
   * Takes over a configuration: on START, before `play`, and on every change. `${NAME}` in texts of the metadata is filled in
   * from the environment of the process. A throw refuses it: the adaptor reports state ERROR with the message and
   * continues with the configuration it had.
   *
   * @throws ConfigurationError to say that another attempt makes sense; after anything else only a change is tried
   */
  configure?(configuration: AdaptorConfiguration): Promise<void> | void;
  /** Begin or go on to read the source. Events published from now on are sent. */
  play?(): Promise<void> | void;
  /** Stop reading the source. Resolves when nothing more will be published. Called before a stop as well. */
  pause?(): Promise<void> | void;
  /**
   * Applies a change to the source system. Events of one message group come one after the other, others may overlap
   * (property `concurrency`). After a crash an event may come again: be idempotent, or use `applied`.
   *
   * @throws ApplyError to say whether another attempt makes sense; anything else is final. A final failure is
   *   reported to the server as a data issue, and the event counts as done.
   */
  apply?(event: IncomingEvent): Promise<Applied | void> | Applied | void;
  /** For handlers that commit effect and position together. Default: events come at least once. */
  readonly applied?: AppliedStore;
  /**
   * Reads live records. Records it does not know are left out.
   *
   * @param signal aborts when no caller waits for the answer any longer
   */
  assemble?(request: AssemblyRequest, signal: AbortSignal): Promise<Assembled>;
  /**
   * An event that this adaptor published became a data issue. The SDK has logged it, and acknowledges the notice once
   * this has settled, also by a throw. After a lost connection or a crash the same issue can be told again.
   */
  refused?(refusal: Refusal): Promise<void> | void;
  /** Forget caches and read the source again. */
  refreshState?(): Promise<void> | void;
  /** One entry `<domain>:<version>` per domain handler, for the health endpoint. */
  health?(): Readonly<Record<string, 'UP' | 'DOWN'>>;
  /** Last call, after `pause`: close what was opened. */
  stop?(): Promise<void> | void;
}

/**
 * Positions that a handler stored in the same transaction as the effect, so that an event's effect happens once even
 * when the process dies between the effect and the acknowledgement.
 */
export interface AppliedStore {
  /** Was the effect of this event committed? A throw counts as a failed attempt to apply the event. */
  has(position: IncomingEvent['position']): Promise<boolean> | boolean;
  /** Nothing up to here will be asked for again. */
  forget(upto: Position): Promise<void> | void;
}

/** When a refused configuration is tried again: not, from a second on to a minute, or from 30 seconds on to ten minutes. */
export type ConfigurationRetry = 'NEVER' | 'SOON' | 'RARELY';

/** A configuration cannot be taken over. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly retry: ConfigurationRetry;

  constructor(message: string, options: { readonly retry?: ConfigurationRetry; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.retry = options.retry ?? 'NEVER';
  }
}

/** How often an event is tried: not again, a few times, or until it works while its message group waits. */
export type Retry = 'NEVER' | 'A_FEW_TIMES' | 'UNTIL_IT_WORKS';

/** An event could not be applied. */
export class ApplyError extends Error {
  override readonly name = 'ApplyError';
  readonly retry: Retry;
  readonly kind: AdaptorError['kind'];
  /** Events of other message groups are applied while this one waits for another attempt, also with `concurrency` 1. Default false. */
  readonly letsOthersPass: boolean;

  constructor(
    message: string,
    options: {
      readonly retry?: Retry;
      readonly kind?: AdaptorError['kind'];
      readonly letsOthersPass?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.retry = options.retry ?? 'NEVER';
    this.kind = options.kind ?? 'DATA';
    this.letsOthersPass = options.letsOthersPass ?? false;
  }
}

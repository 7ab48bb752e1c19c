import {
  anyJson,
  type Check,
  count,
  finiteNumber,
  flag,
  jsonObject,
  list,
  nullable,
  optional,
  shape,
  text,
  uuid,
  word,
} from '../checks/check.js';
import type { JsonObject, JsonValue } from '../json/json-value.js';
import { parseSequence } from '../sequence-text.js';
import { type Hello, hello } from './positions.js';

const operations = ['START', 'PAUSE', 'PLAY', 'REFRESH_STATE', 'HEALTH', 'METRICS', 'METADATA', 'SHUTDOWN'] as const;
export type Operation = (typeof operations)[number];

/** A domain version that the adaptor has a capability for, and the key of its records. */
export interface DomainVersionKey {
  readonly domain: string;
  readonly version: number;
  readonly domainVersionUuid: string;
  /** Names of the values of `drKey` in data events, in the same order. */
  readonly drKeyProperties: readonly string[];
  /** The model of the version. Absent from older servers, and if the models do not fit into the message. */
  readonly modelSchema?: JsonObject;
}

/** How many records of a version the adaptor may delete within a time, before the server keeps its deletions back. */
export interface DeletionLimit {
  /** Share of the records that the adaptor has. */
  readonly percent: number;
  /** Deletions that pass in any case. */
  readonly minimum: number;
  readonly seconds: number;
}

/** A domain version by name and number. */
export interface DiscoveredVersion {
  readonly domain: string;
  readonly version: number;
}

/** `fds.ops.v1` on `down/ops`. The operation determines which optional members are present. */
export interface OpsRequest {
  readonly operation: Operation;
  readonly requestId: string;
  /** START: run at once, or wait for PLAY. */
  readonly state?: 'PLAY' | 'PAUSE';
  /** START, METADATA: report existing records; the server routes none of them. */
  readonly discoveryMode?: boolean;
  /** START, METADATA: null: the adaptor has no limit. Absent from older servers. */
  readonly deletionLimit?: DeletionLimit | null;
  /** START, METADATA: list of `{domainName, versionNumber, action, direction?}`. */
  readonly capabilities?: JsonValue;
  /** START, METADATA: the adaptor's own configuration. */
  readonly metadata?: JsonObject;
  /** START, METADATA: the domain versions that the capabilities name. */
  readonly domainVersions?: readonly DomainVersionKey[];
  /** START: the versions whose discovery the server has noted as complete. Absent from older servers. */
  readonly discovered?: readonly DiscoveredVersion[];
  /** START: the server's position. The hello that follows is authoritative. */
  readonly sequenceState?: Hello;
  /** SHUTDOWN: the code of the two-step shutdown. */
  readonly code?: string;
  /** METRICS: the first minute (since 1970) of the requested history. Default: only the totals. */
  readonly since?: number;
}

const deletionLimit = nullable(shape<DeletionLimit>({ percent: finiteNumber, minimum: count, seconds: count }));

export const opsRequest: Check<OpsRequest> = shape<OpsRequest>({
  operation: word(...operations),
  requestId: text,
  state: optional(word('PLAY', 'PAUSE')),
  discoveryMode: optional(flag),
  // null is a value here
  deletionLimit: (value, pointer, faults) => (value === undefined ? undefined : deletionLimit(value, pointer, faults)),
  capabilities: optional(anyJson),
  metadata: optional(jsonObject),
  domainVersions: optional(
    list(
      shape<DomainVersionKey>({
        domain: text,
        version: count,
        domainVersionUuid: uuid,
        drKeyProperties: list(text),
        modelSchema: optional(jsonObject),
      }),
    ),
  ),
  discovered: optional(list(shape<DiscoveredVersion>({ domain: text, version: count }))),
  sequenceState: optional(hello),
  code: optional(text),
  since: optional(count),
});

export type AdaptorState = 'STARTING' | 'STARTED' | 'PAUSED' | 'ERROR' | 'DOWN';

const state: Check<AdaptorState> = word('STARTING', 'STARTED', 'PAUSED', 'ERROR', 'DOWN');

export interface AdaptorHealth {
  readonly status: 'UP' | 'DOWN';
  /** Milliseconds since the adaptor process started. */
  readonly uptime: number;
  /** Names the source that cannot be used as configured, and the cause. Absent: all sources work. */
  readonly reason?: string;
}

/** Data events of one minute since 1970. */
export interface MinuteCount {
  readonly minute: number;
  readonly sent: number;
  readonly received: number;
}

/** A part of the event history, which the adaptor keeps for 30 days. */
export interface EventHistory {
  /** First minute of this part. */
  readonly from: number;
  /** The counts before this minute are final. */
  readonly until: number;
  /**
   * In ascending order, without minutes that have no events. The last entry may be the minute `until`, which is not
   * over.
   */
  readonly minutes: readonly MinuteCount[];
  /** True: further events did not fit into this answer; ask again from `until`. */
  readonly more: boolean;
}

/** Data events since the adaptor's journal began. */
export interface AdaptorMetrics {
  readonly sent: number;
  readonly received: number;
  /** IANA name of the time zone that the adaptor runs in. */
  readonly timeZone?: string;
  readonly history?: EventHistory;
}

const metrics: Check<AdaptorMetrics> = shape<AdaptorMetrics>({
  sent: count,
  received: count,
  timeZone: optional(text),
  history: optional(
    shape<EventHistory>({
      from: count,
      until: count,
      minutes: list(shape<MinuteCount>({ minute: count, sent: count, received: count })),
      more: flag,
    }),
  ),
});

/** The totals of metrics, without the history. */
export const metricTotals: Check<AdaptorMetrics> = shape<AdaptorMetrics>({
  sent: count,
  received: count,
  timeZone: () => undefined,
  history: () => undefined,
});

/** `fds.ops.answer.v1` on `up/ops`. */
export interface OpsAnswer {
  readonly requestId: string;
  readonly operation: Operation;
  /** False when the adaptor refuses; `message` says why. */
  readonly accepted: boolean;
  readonly state?: AdaptorState;
  readonly health?: AdaptorHealth;
  readonly metrics?: AdaptorMetrics;
  /** SHUTDOWN: the code was received. */
  readonly acknowledged?: boolean;
  readonly message?: string;
}

export const opsAnswerMembers = {
  requestId: text,
  operation: word(...operations),
  accepted: flag,
  state: optional(state),
  health: optional(shape<AdaptorHealth>({ status: word('UP', 'DOWN'), uptime: count, reason: optional(text) })),
  metrics: optional(metrics),
  acknowledged: optional(flag),
  message: optional(text),
};

export const opsAnswer: Check<OpsAnswer> = shape<OpsAnswer>(opsAnswerMembers);

/** `fds.status.v1` on `up/status`, retained; the last will says DOWN. */
export interface StatusReport {
  readonly state: AdaptorState;
  readonly stateMessage?: string;
  readonly sdk: { readonly name: string; readonly version: string };
  /**
   * A uuid that the process makes when it starts. Absent: the server does not notice when another process takes over.
   */
  readonly instance?: string;
}

export const statusReport: Check<StatusReport> = shape<StatusReport>({
  state,
  stateMessage: optional(text),
  sdk: shape<StatusReport['sdk']>({ name: text, version: text }),
  instance: optional(uuid),
});

/** `fds.adaptor.error.v1` on `up/ops`. An error of kind DATA becomes a data issue. */
export interface AdaptorError {
  readonly level: 'ERROR' | 'WARN';
  readonly kind: 'DATA' | 'CONFIGURATION' | 'SOURCE';
  /** The driver's text. Of kind SOURCE: it becomes the adaptor's `stateMessage`; an empty message clears it. */
  readonly message: string;
  /** One sentence for a steward that says what happened. It becomes the title of the data issue. */
  readonly title?: string;
  /**
   * Of level ERROR: the properties that caused the error. Of level WARN: the message was applied without these properties.
   */
  readonly properties?: readonly string[];
  readonly drUuid?: string;
  readonly transactionUuid?: string;
  /** Sequence of the incoming data event that could not be handled. */
  readonly sequence?: number;
  /** Domain and version of a row of the adaptor's own system that it could not read. */
  readonly domain?: string;
  readonly version?: number;
  /** DR Key of that row, by property. A later event of the row closes the issue. */
  readonly drKey?: JsonObject;
}

/** An integer, or the text of the envelope that the adaptor received. */
const sequenceNumber: Check<number> = (value, pointer, faults) =>
  count(typeof value === 'string' ? (parseSequence(value) ?? value) : value, pointer, faults);

export const adaptorError: Check<AdaptorError> = shape<AdaptorError>({
  level: word('ERROR', 'WARN'),
  kind: word('DATA', 'CONFIGURATION', 'SOURCE'),
  message: text,
  title: optional(text),
  properties: optional(list(text)),
  drUuid: optional(uuid),
  transactionUuid: optional(uuid),
  sequence: optional(sequenceNumber),
  domain: optional(text),
  version: optional(count),
  drKey: optional(jsonObject),
});

/**
 * `fds.waiting.v1` on `up/ops`: these messages of `down/data` are in the adaptor's journal and wait for their system. They
 * do not count in the window of unacknowledged messages, and the server does not send them again while the adaptor stays
 * connected. Each report lists all waiting messages and replaces the report before it.
 */
export interface WaitingReport {
  readonly epoch: string;
  readonly sequences: readonly number[];
}

export const waitingReport: Check<WaitingReport> = shape<WaitingReport>({
  epoch: uuid,
  sequences: list(sequenceNumber),
});

/**
 * `fds.discovered.v1` on `up/ops`: the first complete scan in discovery mode is done, and the server has acknowledged every record
 * that it found. Once for a domain version.
 */
export interface DiscoveredReport extends DiscoveredVersion {
  /** The number of records that the scan found. */
  readonly records: number;
}

export const discoveredReport: Check<DiscoveredReport> = shape<DiscoveredReport>({
  domain: text,
  version: count,
  records: count,
});

/**
 * `fds.check.v1` on `up/ops`: the client `<adaptorUuid>-check` asks for the configuration of the adaptor. The server answers
 * by METADATA on `down/check`, and changes nothing.
 */
export interface CheckRequest {
  readonly requestId: string;
}

export const checkRequest: Check<CheckRequest> = shape<CheckRequest>({ requestId: uuid });

/** `fds.log.v1` on `up/log`: an entry for the central log. Never payloads or secrets. */
export interface LogEntry {
  readonly level: 'ERROR' | 'WARN' | 'INFO' | 'DEBUG';
  readonly message: string;
}

export const logEntry: Check<LogEntry> = shape<LogEntry>({
  level: word('ERROR', 'WARN', 'INFO', 'DEBUG'),
  message: text,
});

import type { StatusReport } from '@fds/adaptor-protocol';
import type { AdaptorFigures } from './adaptor-figures.js';

/** The state of an adaptor at the time of a scrape. */
export interface MetricsState {
  readonly isUp: boolean;
  readonly state: StatusReport['state'];
  readonly discoveryMode: boolean;
  /** The clients of the bus that are connected. */
  readonly connected: { readonly ops: boolean; readonly data: boolean };
  readonly journal: {
    /** Messages for the server that it has not acknowledged. */
    readonly messages: number;
    /** Size of the file without its free pages. */
    readonly bytes: number;
  };
  /** Messages of the server that wait in the journal for their system. */
  readonly waitingMessages: number;
  readonly sdk: StatusReport['sdk'];
}

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

const states = ['STARTING', 'STARTED', 'PAUSED', 'ERROR', 'DOWN'] as const satisfies readonly StatusReport['state'][];
const modes = ['playing', 'paused', 'discovery'] as const;

const escaped = (value: string): string =>
  value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('"', String.raw`\"`);

const write = (name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]): string[] =>
  samples.length === 0
    ? []
    : [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} ${type}`,
        ...samples.map(({ labels = {}, value }) => {
          const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
          return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
        }),
      ];

const oneOf = <V extends string>(label: string, values: readonly V[], present: V): Sample[] =>
  values.map((value) => ({ labels: { [label]: value }, value: value === present ? 1 : 0 }));

const gaugeOf = (value: number | undefined): Sample[] => (value === undefined ? [] : [{ value }]);

const modeOf = ({ state, discoveryMode }: MetricsState): (typeof modes)[number] => {
  if (state !== 'STARTED') return 'paused';
  return discoveryMode ? 'discovery' : 'playing';
};

const processLines = (): string[] => {
  const { user, system } = process.cpuUsage();
  return [
    ...write('process_cpu_seconds_total', 'counter', 'Processor time of the process.', [
      { value: (user + system) / 1e6 },
    ]),
    ...write('process_resident_memory_bytes', 'gauge', 'Memory of the process.', [
      { value: process.memoryUsage.rss() },
    ]),
    ...write('process_start_time_seconds', 'gauge', 'When the process began.', [
      { value: Math.round(Date.now() / 1000 - process.uptime()) },
    ]),
  ];
};

/** The figures in the text format of Prometheus. Labels have fixed values only, and the release of the adaptor. */
export const writeMetrics = (figures: AdaptorFigures, now: MetricsState): string => {
  const counts = (direction: string, outcomes: Readonly<Record<string, number>>): Sample[] =>
    Object.entries(outcomes).map(([outcome, value]) => ({ labels: { direction, outcome }, value }));
  const { lastErrorMs } = figures;
  const lines = [
    ...write('fds_adaptor_events_total', 'counter', 'Data events by direction and outcome.', [
      ...counts('sent', figures.sent),
      ...counts('received', figures.received),
    ]),
    ...write('fds_adaptor_retries_total', 'counter', 'Attempts to apply a message that have to be repeated.', [
      { value: figures.retries },
    ]),
    ...write(
      'fds_adaptor_source_lag_seconds',
      'gauge',
      'Time for which the source that is furthest behind was not read.',
      gaugeOf(figures.lagSeconds),
    ),
    ...write('fds_adaptor_journal_messages', 'gauge', 'Messages that the server has not acknowledged.', [
      { value: now.journal.messages },
    ]),
    ...write('fds_adaptor_journal_bytes', 'gauge', 'Size of the journal.', [{ value: now.journal.bytes }]),
    ...write('fds_adaptor_waiting_messages', 'gauge', 'Messages of the server that wait for their system.', [
      { value: now.waitingMessages },
    ]),
    ...write(
      'fds_adaptor_last_error_timestamp_seconds',
      'gauge',
      'When a message was last refused or a source failed.',
      gaugeOf(lastErrorMs === undefined ? undefined : lastErrorMs / 1000),
    ),
    ...write('fds_adaptor_up', 'gauge', '1 while the health is UP.', [{ value: now.isUp ? 1 : 0 }]),
    ...write(
      'fds_adaptor_connected',
      'gauge',
      '1 while the client is connected to the message bus.',
      Object.entries(now.connected).map(([client, is]) => ({ labels: { client }, value: is ? 1 : 0 })),
    ),
    ...write('fds_adaptor_state', 'gauge', '1 for the state of the adaptor.', oneOf('state', states, now.state)),
    ...write('fds_adaptor_mode', 'gauge', '1 for the mode of the adaptor.', oneOf('mode', modes, modeOf(now))),
    ...write('fds_adaptor_build_info', 'gauge', '1, with the releases in use.', [
      { labels: { name: now.sdk.name, version: now.sdk.version, node: process.versions.node }, value: 1 },
    ]),
    ...processLines(),
  ];
  return `${lines.join('\n')}\n`;
};

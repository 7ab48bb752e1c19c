import type { SubgraphName } from '@fds/graphql';
import { logFormats, settings } from '@fds/service';
import { serviceParts } from './service-parts.js';
import { anyPort } from './any-port.js';

/** The settings for the addresses of subgraphs that run in other processes. */
const subgraphUrls = {
  catalogUrl: settings.url(
    'FDS_CATALOG_URL',
    'Where the catalog runs when not in this process, for example http://host:8090/catalog.',
  ),
  governanceUrl: settings.url('FDS_GOVERNANCE_URL', 'Where governance runs when not in this process.'),
  recordsUrl: settings.url('FDS_RECORDS_URL', 'Where records run when not in this process.'),
  assemblyUrl: settings.url(
    'FDS_ASSEMBLY_URL',
    'Where the assembly subgraph runs when neither records nor assembly run in this process, for example http://host:8090/assembly.',
  ),
  notificationsUrl: settings.url(
    'FDS_NOTIFICATIONS_URL',
    'Where notifications run when not in this process, for example http://host:8090/notifications.',
  ),
} as const satisfies Readonly<Record<`${SubgraphName}Url`, unknown>>;

/** The parts of a process, the addresses of the other parts, and the behaviour of the process. */
export const processSettings = {
  eventRetentionDays: settings.integer(
    'FDS_EVENT_RETENTION_DAYS',
    'Days that data events and how they were delivered are kept at least; then they are removed, unless something still needs them. 0 = for ever.',
    0,
    { min: 0, max: 36_500 },
  ),
  issueRetentionDays: settings.integer(
    'FDS_ISSUE_RETENTION_DAYS',
    'Days that closed data issues are kept after their last change. 0 = for ever.',
    0,
    { min: 0, max: 36_500 },
  ),
  changeLogRetentionDays: settings.integer(
    'FDS_CHANGE_LOG_RETENTION_DAYS',
    'Days that entries of the change log are kept at least; then they are removed, unless a notification still needs them. 0 = for ever.',
    0,
    { min: 0, max: 36_500 },
  ),
  changeLogProofSeconds: settings.integer(
    'FDS_CHANGE_LOG_PROOF_SECONDS',
    'Longest time, in seconds, until an entry of the change log is covered by its proof.',
    60,
    { min: 1, max: 3_600 },
  ),
  parts: settings.list('FDS_PARTS', 'Parts this process runs.', serviceParts, serviceParts),
  partsPort: settings.integer(
    'FDS_PARTS_PORT',
    'Port at which a process without the gateway serves its parts over HTTP. 0 = any free port.',
    8090,
    anyPort,
  ),
  ...subgraphUrls,
  drainSeconds: settings.integer(
    'FDS_DRAIN_SECONDS',
    'Seconds after SIGTERM in which the process still answers, with 503 at /health, before it closes its ports. 0 = none.',
    5,
    { min: 0, max: 3_600 },
  ),
  idleCollectMib: settings.integer(
    'FDS_IDLE_COLLECT_MIB',
    'Growth of the heap in MiB at which an idle process collects garbage, which V8 leaves while nothing allocates. 0 = never.',
    64,
    { min: 0, max: 1_048_576 },
  ),
  metricsAdaptors: settings.integer(
    'FDS_METRICS_ADAPTORS',
    'Number of adaptors with separate series for queue, state, age and issues in /metrics, with the labels adaptor and zone. All other adaptors share one series, other. 0 = none.',
    0,
    { min: 0, max: 10_000 },
  ),
  logFormat: settings.choice(
    'FDS_LOG_FORMAT',
    'json: one JSON object a line. readable: lines for people. auto: readable on a terminal, without the lines of successful requests at level info; otherwise json.',
    logFormats,
    'auto',
  ),
  logLevel: settings.choice(
    'FDS_LOG_LEVEL',
    'debug, info, warn, error or silent.',
    ['debug', 'info', 'warn', 'error', 'silent'],
    'info',
  ),
} as const;

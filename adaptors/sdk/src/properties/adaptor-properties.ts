import {
  isGiven,
  type PropertyValues,
  readProperties,
  type PropertySources,
  unknownProperties,
} from './load-properties.js';
import { concurrencyRange, flag, integerIn, namesOfVariables, type Property, text, urlOf, wordOf } from './property.js';
import { variablesIn } from './resolve-variables.js';

const maxInterval = 2_147_483_647;
const uuidText = (value: string): string | undefined =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value.trim()) ? value.trim().toLowerCase() : undefined;

const property = <T>(value: Property<T>): Property<T> => value;

/** The properties every adaptor has (specification, Adaptor runtime properties), and the journal's place. */
export const adaptorPropertyTable = {
  adaptorUuid: property({
    name: 'adaptor.uuid',
    variable: 'ADAPTOR_UUID',
    meaning: 'adaptor uuid',
    read: uuidText,
    form: 'a uuid',
  }),
  clientId: property({
    name: 'client.id',
    variable: 'CLIENT_ID',
    meaning: 'user name for the message bus',
    read: text,
    form: 'a name',
  }),
  clientSecret: property({
    name: 'client.secret',
    variable: 'CLIENT_SECRET',
    meaning: 'password for the message bus',
    read: text,
    form: 'a secret',
  }),
  messageBusUrl: property({
    name: 'message.bus.url',
    variable: 'MESSAGE_BUS_URL',
    meaning: 'address of the message bus',
    read: urlOf('tcp:', 'mqtt:', 'tls:', 'ssl:', 'mqtts:', 'ws:', 'wss:'),
    form: 'an address such as tcp://host:1883',
  }),
  authServerUrl: property<string | undefined>({
    name: 'auth.server.url',
    variable: 'AUTH_SERVER_URL',
    meaning: 'authentication server that validates the credentials; default http://<host of the message bus>:8080',
    fallback: undefined,
    read: urlOf('http:', 'https:'),
    form: 'an address such as http://host:8080',
  }),
  hostname: property({
    name: 'hostname',
    variable: 'HOSTNAME',
    meaning: 'host name of the health endpoint',
    fallback: 'localhost',
    read: text,
    form: 'a host name',
  }),
  port: property({
    name: 'port',
    variable: 'PORT',
    meaning:
      'port of the health endpoint, 0 for any free one; where it is not set and in use, the next free one is taken',
    fallback: 8001,
    read: integerIn(0, 65_535),
    form: 'a port from 0 to 65535',
  }),
  concurrency: property({
    name: 'concurrency',
    variable: 'CONCURRENCY',
    meaning: 'incoming events applied at the same time; each message group stays in order',
    fallback: 1,
    read: integerIn(1, 256),
    form: 'an integer from 1 to 256',
  }),
  opsConcurrency: property({
    name: 'ops.concurrency',
    variable: 'OPS_CONCURRENCY',
    meaning: 'operations handled at the same time',
    fallback: { min: 1, max: 1 },
    read: concurrencyRange,
    form: 'a maximum such as 5 or a range such as 1-5',
  }),
  assemblyConcurrency: property({
    name: 'assembly.concurrency',
    variable: 'ASSEMBLY_CONCURRENCY',
    meaning: 'assembly requests handled at the same time',
    fallback: { min: 1, max: 1 },
    read: concurrencyRange,
    form: 'a maximum such as 5 or a range such as 1-5',
  }),
  sessionCacheSize: property({
    name: 'session.cache.size',
    variable: 'SESSION_CACHE_SIZE',
    meaning: 'message-bus session cache size; accepted, this SDK keeps two sessions',
    fallback: 10,
    read: integerIn(1, 10_000),
    form: 'an integer from 1 to 10000',
  }),
  enableMetrics: property({
    name: 'enable.metrics',
    variable: 'ENABLE_METRICS',
    meaning: 'log the counts of events now and then',
    fallback: true,
    read: flag,
    form: 'true or false',
  }),
  metricsLogIntervalMs: property({
    name: 'metrics.log.interval',
    variable: 'METRIC_LOGS_INTERVAL',
    meaning: 'milliseconds between two logs of the counts',
    fallback: 3_600_000,
    read: integerIn(1, maxInterval),
    form: 'milliseconds, from 1',
  }),
  dataDirectory: property<string | undefined>({
    name: 'data.directory',
    variable: 'DATA_DIRECTORY',
    meaning: 'directory of the journal; default ./.fds-adaptor/<adaptorUuid>',
    fallback: undefined,
    read: text,
    form: 'a directory',
  }),
  metadataVariables: property<readonly string[] | undefined>({
    name: 'metadata.variables',
    variable: 'METADATA_VARIABLES',
    meaning:
      'environment variables that the metadata may name, separated by commas; default: every one that does not hold the client secret',
    fallback: undefined,
    read: namesOfVariables,
    form: 'names of environment variables, separated by commas',
  }),
  journalMaxEvents: property({
    name: 'journal.max.events',
    variable: 'JOURNAL_MAX_EVENTS',
    meaning: 'events in the journal that the server has not acknowledged; beyond it, publish waits',
    fallback: 1_000_000,
    read: integerIn(1, 1_000_000_000),
    form: 'an integer from 1 to 1000000000',
  }),
  journalKeepHours: property({
    name: 'journal.keep.hours',
    variable: 'JOURNAL_KEEP_HOURS',
    meaning:
      'hours for which the journal keeps acknowledged events, which are sent again to a server that is restored from a backup; 0 keeps none',
    fallback: 24,
    read: integerIn(0, 8_760),
    form: 'hours from 0 to 8760',
  }),
  journalKeepMaxEvents: property({
    name: 'journal.keep.max.events',
    variable: 'JOURNAL_KEEP_MAX_EVENTS',
    meaning: 'acknowledged events that the journal keeps at most; the oldest are removed',
    fallback: 1_000_000,
    read: integerIn(1, 1_000_000_000),
    form: 'an integer from 1 to 1000000000',
  }),
  journalMaxWaiting: property({
    name: 'journal.max.waiting',
    variable: 'JOURNAL_MAX_WAITING',
    meaning: 'incoming events in the journal that wait for their system; beyond it, the adaptor takes no more events',
    fallback: 200_000,
    read: integerIn(1, 1_000_000),
    form: 'an integer from 1 to 1000000',
  }),
  journalMaxWaitingBytes: property({
    name: 'journal.max.waiting.bytes',
    variable: 'JOURNAL_MAX_WAITING_BYTES',
    meaning: 'bytes of the events that wait in the journal; beyond it, the adaptor takes no more events',
    fallback: 512 * 2 ** 20,
    read: integerIn(2 ** 20, 2 ** 40),
    form: 'an integer from 1048576 to 1099511627776',
  }),
  logLevel: property({
    variable: 'LOG_LEVEL',
    meaning: "level of the adaptor's own log messages",
    fallback: 'INFO',
    read: wordOf('ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'),
    form: 'ERROR, WARN, INFO, DEBUG or TRACE',
  }),
  rootLogLevel: property({
    variable: 'ROOT_LOG_LEVEL',
    meaning: 'level of the other log messages: those of the message bus connections',
    fallback: 'INFO',
    read: wordOf('ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'),
    form: 'ERROR, WARN, INFO, DEBUG or TRACE',
  }),
};

export type AdaptorProperties = PropertyValues<typeof adaptorPropertyTable> & { readonly authServerUrl: string };

/** Address of the authorization server that is embedded in the service of the message bus. */
const authServerBeside = (messageBusUrl: string): string =>
  `http://${new URL(messageBusUrl).hostname || 'localhost'}:8080`;

/**
 * @throws PropertyFault with all faults at once
 */
export const readAdaptorProperties = (sources: PropertySources): AdaptorProperties => {
  const values = readProperties(adaptorPropertyTable, sources);
  return { ...values, authServerUrl: values.authServerUrl ?? authServerBeside(values.messageBusUrl) };
};

/**
 * May the metadata name this environment variable? Never a variable that holds the client secret. With
 * `metadata.variables`, only the variables of that list.
 */
export const metadataMayName = (
  { metadataVariables }: AdaptorProperties,
  sources: PropertySources,
): ((name: string) => boolean) => {
  const { name, variable } = adaptorPropertyTable.clientSecret;
  const secret = new Set([variable, ...variablesIn(sources.file[name ?? ''] ?? '')]);
  return (named) => !secret.has(named) && (metadataVariables === undefined || metadataVariables.includes(named));
};

/** Is the port of the health endpoint set explicitly? */
export const isPortGiven = (sources: PropertySources): boolean => isGiven(adaptorPropertyTable.port, sources);

/**
 * Names in the properties file that neither the SDK nor this adaptor knows.
 *
 * @param own names of this adaptor's own properties
 */
export const unknownAdaptorProperties = (sources: PropertySources, own: readonly string[]): readonly string[] =>
  unknownProperties(adaptorPropertyTable, sources, own);

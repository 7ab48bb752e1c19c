import { loadSettings, settings, SettingsError } from '@fds/service';
import { serviceParts, usesBus, type Part } from './service-parts.js';

const anyPort = { min: 0, max: 65_535 };
const answerRange = { min: 65_536, max: 17_179_869_184 };

/** Every setting of the service (the page docs/reference/settings.md is generated from this table). */
export const serviceSettings = {
  host: settings.text('FDS_HOST', 'Address the servers listen on.', '127.0.0.1'),
  port: settings.integer(
    'FDS_PORT',
    'Port of the server: REST, GraphQL, OAuth, pages. 0 = any free port.',
    8080,
    anyPort,
  ),
  baseUrl: settings.url(
    'FDS_BASE_URL',
    'Address that clients see; issuer of tokens. Its host is told to adaptors when FDS_HOST is 0.0.0.0 or ::. Default: from host and port.',
  ),
  assemblyPort: settings.integer(
    'FDS_ASSEMBLY_PORT',
    'Port of the assembly service. 0 = any free port.',
    8082,
    anyPort,
  ),
  assemblyEnabled: settings.boolean('FDS_ASSEMBLY_ENABLED', 'Run the assembly service.', true),
  assemblyMaxAnswerBytes: settings.integer(
    'FDS_ASSEMBLY_MAX_ANSWER_BYTES',
    'Most memory that the answer of one adaptor to an assembly request may take. An adaptor that sends more counts as FAILED.',
    16_777_216,
    answerRange,
  ),
  assemblyMaxAnswerParts: settings.integer(
    'FDS_ASSEMBLY_MAX_ANSWER_PARTS',
    'Most messages in which an adaptor may answer an assembly request.',
    2000,
    { min: 1, max: 1_000_000 },
  ),
  assemblyMaxRequestBytes: settings.integer(
    'FDS_ASSEMBLY_MAX_REQUEST_BYTES',
    'Most memory that the answers of all adaptors to one assembly request may take.',
    33_554_432,
    answerRange,
  ),
  assemblyMaxCallerBytes: settings.integer(
    'FDS_ASSEMBLY_MAX_CALLER_BYTES',
    'Most memory that answers to the assembly requests of one caller may take at the same time.',
    67_108_864,
    answerRange,
  ),
  assemblyMaxTotalBytes: settings.integer(
    'FDS_ASSEMBLY_MAX_TOTAL_BYTES',
    'Most memory that answers to all assembly requests may take at the same time.',
    134_217_728,
    answerRange,
  ),
  busPort: settings.integer('FDS_BUS_PORT', 'Port of the embedded broker. 0 = any free port.', 1883, anyPort),
  busUrl: settings.url('FDS_BUS_URL', 'External MQTT broker (tcp://host:port) instead of the embedded one.'),
  busUsername: settings.optionalText('FDS_BUS_USERNAME', 'User name of the server at the external broker.'),
  busPassword: settings.secret('FDS_BUS_PASSWORD', 'Password of the server at the external broker.'),
  busMaxConnections: settings.integer(
    'FDS_BUS_MAX_CONNECTIONS',
    'Most connections to the embedded broker. An adaptor has two.',
    4096,
    { min: 16, max: 1_000_000 },
  ),
  busMaxPending: settings.integer(
    'FDS_BUS_MAX_PENDING',
    'Most connections to the embedded broker that are not authenticated yet.',
    1024,
    { min: 1, max: 100_000 },
  ),
  busPendingPerAddress: settings.integer(
    'FDS_BUS_PENDING_PER_ADDRESS',
    'The same for the connections of one address.',
    256,
    { min: 1, max: 100_000 },
  ),
  busConnectSeconds: settings.integer(
    'FDS_BUS_CONNECT_SECONDS',
    'Time in which a connection to the embedded broker must be authenticated.',
    10,
    { min: 1, max: 300 },
  ),
  busMaxPacketBytes: settings.integer(
    'FDS_BUS_MAX_PACKET_BYTES',
    'Largest MQTT packet that the embedded broker reads: a payload of 256 KiB and its topic.',
    263_168,
    { min: 16_384, max: 1_048_576 },
  ),
  busMaxUnreadBytes: settings.integer(
    'FDS_BUS_MAX_UNREAD_BYTES',
    'Most bytes that wait in the embedded broker for a client that does not read. A whole window of data events has 64 MiB.',
    83_886_080,
    { min: 68_157_440, max: 1_073_741_824 },
  ),
  busMaxSubscriptions: settings.integer(
    'FDS_BUS_MAX_SUBSCRIPTIONS',
    'Most topic filters that a client of the embedded broker may subscribe to.',
    16,
    { min: 5, max: 1000 },
  ),
  databaseUrl: settings.secret('FDS_DATABASE_URL', 'PostgreSQL 15 or newer instead of the embedded one.'),
  databaseConnections: settings.integer(
    'FDS_DATABASE_CONNECTIONS',
    'Connections of each pool: GraphQL models, writes, and reads of single resources.',
    10,
    {
      min: 2,
      max: 500,
    },
  ),
  searchConnections: settings.integer(
    'FDS_SEARCH_CONNECTIONS',
    'Searches and listings of records that run at once, on connections of their own.',
    6,
    { min: 1, max: 500 },
  ),
  searchesPerCaller: settings.integer(
    'FDS_SEARCHES_PER_CALLER',
    'Searches of one caller that run at once. Leave some of FDS_SEARCH_CONNECTIONS to others.',
    3,
    { min: 1, max: 500 },
  ),
  searchesWaiting: settings.integer(
    'FDS_SEARCHES_WAITING',
    'Searches of one caller that wait; more are refused with 429.',
    50,
    { min: 0, max: 10_000 },
  ),
  searchSeconds: settings.integer(
    'FDS_SEARCH_SECONDS',
    'How long a search may wait, and how long a statement of it may run, in seconds.',
    10,
    { min: 1, max: 3600 },
  ),
  readSeconds: settings.integer(
    'FDS_READ_SECONDS',
    'How long a statement that reads single resources may run, in seconds.',
    30,
    { min: 1, max: 3600 },
  ),
  dataDir: settings.text('FDS_DATA_DIR', 'Embedded database, keys, generated passwords.', '.data'),
  secretKey: settings.secret(
    'FDS_SECRET_KEY',
    'Key that seals secrets in the database, 32 bytes in base64. Default: generated in the data directory. Machines that share a database need the same.',
  ),
  adminPassword: settings.secret('FDS_ADMIN_PASSWORD', 'First-start password of `admin`. Default: generated.'),
  dgsPassword: settings.secret('FDS_DGS_PASSWORD', 'First-start password of `dgs`. Default: generated.'),
  tokenMinutes: settings.integer('FDS_TOKEN_MINUTES', 'Lifetime of access tokens in minutes.', 60, {
    min: 1,
    max: 1440,
  }),
  redirectUris: settings.urls(
    'FDS_REDIRECT_URIS',
    'Addresses, separated by commas, that a sign-in may lead to, beside those of the service itself. One that ends with a slash allows everything below it.',
  ),
  oidcIssuer: settings.url(
    'OIDC_ISSUER_URL',
    "External OpenID provider that people sign in at instead of the service's own page. Its access tokens (JWTs) are accepted as bearer tokens.",
  ),
  oidcClientId: settings.optionalText('OIDC_CLIENT_ID', 'Client of the service at the external provider.'),
  oidcClientSecret: settings.secret('OIDC_CLIENT_SECRET', 'Its secret. Default: none, for a public client.'),
  oidcAudience: settings.optionalText(
    'OIDC_AUDIENCE',
    "`aud` of the external provider's access tokens for this service; `<FDS_BASE_URL>/api` is accepted too. Default: the client id.",
  ),
  oidcSsoIdClaim: settings.text('OIDC_SSO_ID_CLAIM', "Claim of its tokens that is a user's `ssoId`.", 'sub'),
  oidcScope: settings.text('OIDC_SCOPE', 'What a sign-in there asks for.', 'openid profile email'),
  signingKeyDays: settings.integer(
    'FDS_SIGNING_KEY_DAYS',
    'Age in days at which the key that signs tokens is followed by a new one; no token becomes invalid. 0 = never.',
    90,
    { min: 0, max: 3650 },
  ),
  secretGraceSeconds: settings.integer(
    'FDS_SECRET_GRACE_SECONDS',
    "How long an adaptor's old secret gives tokens and connections after a new one was issued. Tokens and sessions from before end at once. 0 = not at all.",
    3600,
    { min: 0, max: 604_800 },
  ),
  passwordChecks: settings.integer(
    'FDS_PASSWORD_CHECKS',
    'Passwords and client secrets of people that a process hashes at the same time.',
    2,
    { min: 1, max: 64 },
  ),
  passwordChecksWaiting: settings.integer(
    'FDS_PASSWORD_CHECKS_WAITING',
    'Passwords that wait to be hashed; a quarter of them from one address. One more is answered 429.',
    256,
    { min: 4, max: 100_000 },
  ),
  signInAttempts: settings.integer(
    'FDS_SIGN_IN_ATTEMPTS',
    'Attempts with a password or secret that a process has not answered yet, at all doors; half of them from one address. One more is answered 429.',
    2000,
    { min: 4, max: 100_000 },
  ),
  rateLimit: settings.integer(
    'FDS_RATE_LIMIT',
    'Requests a second of one token, and of one address without a valid token, in each process. 0 = no limit.',
    1000,
    { min: 0, max: 10_000_000 },
  ),
  trustedProxies: settings.texts(
    'FDS_TRUSTED_PROXIES',
    'Addresses or networks, separated by commas, whose X-Forwarded-For is believed, for example 10.0.0.0/8. Default: none.',
  ),
  corsOrigins: settings.urls(
    'FDS_CORS_ORIGINS',
    'Origins, separated by commas, whose pages may call the service from a browser. Default: its own only.',
  ),
  maxBodyBytes: settings.integer('FDS_MAX_BODY_BYTES', 'Largest request body.', 1_048_576, {
    min: 1024,
    max: 104_857_600,
  }),
  maxFileBytes: settings.integer('FDS_BULK_MAX_BYTES', 'Largest file of the bulk import.', 10_485_760, {
    min: 1024,
    max: 1_073_741_824,
  }),
  maxQueryDepth: settings.integer('FDS_GRAPHQL_MAX_DEPTH', 'Deepest GraphQL document.', 15, { min: 1, max: 100 }),
  maxQueryFields: settings.integer(
    'FDS_GRAPHQL_MAX_FIELDS',
    'Most fields of a GraphQL document, fragments expanded.',
    1000,
    { min: 1, max: 100_000 },
  ),
  maxQueryAliases: settings.integer('FDS_GRAPHQL_MAX_ALIASES', 'Most aliases of a GraphQL document.', 50, {
    min: 0,
    max: 10_000,
  }),
  graphqlCacheBytes: settings.integer(
    'FDS_GRAPHQL_CACHE_BYTES',
    'Heap that cached GraphQL documents, plans and schemas may retain together, estimated.',
    67_108_864,
    { min: 1_048_576, max: 68_719_476_736 },
  ),
  maxQueryTokens: settings.integer(
    'FDS_GRAPHQL_MAX_TOKENS',
    'Most tokens of a GraphQL document: names, numbers, texts, punctuation. Large inputs belong in variables.',
    10_000,
    { min: 100, max: 1_000_000 },
  ),
  maxQueryDefinitions: settings.integer(
    'FDS_GRAPHQL_MAX_DEFINITIONS',
    'Most operations and fragments of a GraphQL document.',
    100,
    { min: 1, max: 10_000 },
  ),
  maxQueryComparisons: settings.integer(
    'FDS_GRAPHQL_MAX_COMPARISONS',
    'Most comparisons that the validation of a GraphQL document may take: its selections, fragments expanded, and the square of each number of fields that share a name in the answer.',
    20_000,
    { min: 1000, max: 100_000_000 },
  ),
  maxIntrospections: settings.integer(
    'FDS_GRAPHQL_MAX_INTROSPECTIONS',
    'Highest cost of introspection in a GraphQL document, in standard introspection queries.',
    2,
    { min: 1, max: 1000 },
  ),
  maxQueryCost: settings.integer(
    'FDS_GRAPHQL_MAX_COST',
    'Highest cost of a GraphQL document: its fields, each multiplied by the page sizes and the limits of references above it.',
    100_000,
    { min: 1, max: 100_000_000 },
  ),
  socketMax: settings.integer('FDS_SOCKET_MAX', 'Most websockets at `/graphql`.', 4000, { min: 1, max: 1_000_000 }),
  socketMaxPerCaller: settings.integer('FDS_SOCKET_MAX_PER_CALLER', 'Most websockets of one caller.', 1000, {
    min: 1,
    max: 1_000_000,
  }),
  socketMaxPending: settings.integer('FDS_SOCKET_MAX_PENDING', 'Most websockets that have not signed in.', 2048, {
    min: 1,
    max: 1_000_000,
  }),
  socketPendingPerAddress: settings.integer(
    'FDS_SOCKET_PENDING_PER_ADDRESS',
    'The same for the websockets of one address.',
    1024,
    { min: 1, max: 1_000_000 },
  ),
  socketInitSeconds: settings.integer(
    'FDS_SOCKET_INIT_SECONDS',
    'Time in which a websocket must send `connection_init`.',
    3,
    { min: 1, max: 60 },
  ),
  socketMaxOperations: settings.integer(
    'FDS_SOCKET_MAX_OPERATIONS',
    'Most operations of a websocket that are executed at the same time or whose answers are not read. The service reads no further message until one ends.',
    16,
    { min: 1, max: 1_000_000 },
  ),
  socketMaxOperationsPerCaller: settings.integer(
    'FDS_SOCKET_MAX_OPERATIONS_PER_CALLER',
    'The same for all websockets of one caller.',
    64,
    { min: 1, max: 1_000_000 },
  ),
  socketMaxUnread: settings.integer(
    'FDS_SOCKET_MAX_UNREAD',
    'Unread characters of answers at which the service reads no further message of a websocket.',
    1_048_576,
    { min: 1024, max: 1_073_741_824 },
  ),
  socketMaxUnreadPerCaller: settings.integer(
    'FDS_SOCKET_MAX_UNREAD_PER_CALLER',
    'The same for all websockets of one caller.',
    16_777_216,
    { min: 1024, max: 17_179_869_184 },
  ),
  socketMaxUnreadInAll: settings.integer('FDS_SOCKET_MAX_UNREAD_IN_ALL', 'The same for all websockets.', 134_217_728, {
    min: 1024,
    max: 17_179_869_184,
  }),
  socketUnreadSeconds: settings.integer(
    'FDS_SOCKET_UNREAD_SECONDS',
    'Time after which a websocket ends (1008) whose client reads none of the answers that wait for it.',
    30,
    { min: 1, max: 3600 },
  ),
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
  parts: settings.list('FDS_PARTS', 'Parts this process runs.', serviceParts, serviceParts),
  partsPort: settings.integer(
    'FDS_PARTS_PORT',
    'Port at which a process without the gateway serves its parts over HTTP. 0 = any free port.',
    8090,
    anyPort,
  ),
  catalogUrl: settings.url(
    'FDS_CATALOG_URL',
    'Where the catalog runs when not in this process, for example http://host:8090/catalog.',
  ),
  governanceUrl: settings.url('FDS_GOVERNANCE_URL', 'Where governance runs when not in this process.'),
  recordsUrl: settings.url('FDS_RECORDS_URL', 'Where records run when not in this process.'),
  assemblyUrl: settings.url('FDS_ASSEMBLY_URL', 'Where assembly runs when not in this process.'),
  idleCollectMib: settings.integer(
    'FDS_IDLE_COLLECT_MIB',
    'Growth of the heap in MiB at which an idle process collects garbage, which V8 leaves while nothing allocates. 0 = never.',
    64,
    { min: 0, max: 1_048_576 },
  ),
  logLevel: settings.text('FDS_LOG_LEVEL', 'debug, info, warn, error or silent.', 'info'),
} as const;

export type ServiceSettings = ReturnType<typeof loadServiceSettings>;

type Environment = Readonly<Record<string, string | undefined>>;

const togetherFaults = ({
  parts: run,
  busUrl,
  baseUrl,
  catalogUrl,
  governanceUrl,
  recordsUrl,
  assemblyUrl,
  oidcIssuer,
  oidcClientId,
}: ReturnType<typeof read>): string[] => {
  const runs = (part: Part): boolean => run.includes(part);
  const remote = {
    catalog: catalogUrl,
    governance: governanceUrl,
    records: recordsUrl,
    assembly: assemblyUrl,
  } as const;
  const subgraphs = ['catalog', 'governance', 'records', 'assembly'] as const;
  const isWhole = serviceParts.every(runs);
  return [
    ...(runs('records') === runs('assembly') ? [] : ['FDS_PARTS: records and assembly run in the same process']),
    ...(runs('gateway')
      ? subgraphs
          .filter((part) => !runs(part) && remote[part] === undefined)
          .map((part) => `FDS_${part.toUpperCase()}_URL: required where ${part} runs elsewhere`)
      : []),
    ...(isWhole || busUrl !== undefined || !usesBus(run)
      ? []
      : ['FDS_BUS_URL: several processes need an external broker']),
    ...((oidcIssuer === undefined) === (oidcClientId === undefined)
      ? []
      : ['OIDC_ISSUER_URL and OIDC_CLIENT_ID: one needs the other']),
    ...(runs('gateway') || baseUrl !== undefined
      ? []
      : ['FDS_BASE_URL: required without the gateway, it is the issuer of tokens']),
  ];
};

const read = (environment: Environment) => loadSettings(serviceSettings, environment);

/** Reads them from the environment, once. @throws SettingsError with every fault */
export const loadServiceSettings = (environment: Environment) => {
  const values = read(environment);
  const faults = togetherFaults(values);
  if (faults.length > 0) throw new SettingsError(faults);
  return values;
};

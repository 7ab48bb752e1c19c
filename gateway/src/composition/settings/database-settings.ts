import { settings, type TextRule } from '@fds/service';

const databaseUrlRule: TextRule = {
  allows: (text) => URL.canParse(text) && ['postgresql:', 'postgres:'].includes(new URL(text).protocol),
  message: 'must be like postgresql://user:password@host:5432/database',
};

/** The database, its connections, and the time that statements may take. */
export const databaseSettings = {
  databaseUrl: settings.secret(
    'FDS_DATABASE_URL',
    'PostgreSQL 15 or newer instead of the embedded one: postgresql://user:password@host:5432/database.',
    databaseUrlRule,
  ),
  databaseConnections: settings.integer(
    'FDS_DATABASE_CONNECTIONS',
    'Connections of each pool: writes, transactions of the catalogue, its reads, and reads of single records.',
    10,
    {
      min: 2,
      max: 500,
    },
  ),
  searchConnections: settings.integer(
    'FDS_SEARCH_CONNECTIONS',
    'Searches, and listings of records and issues, that run at once, on separate connections.',
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
  answerMaxBytes: settings.integer(
    'FDS_ANSWER_MAX_BYTES',
    'Most bytes that the database may send for the searches and listings of one operation, and largest answer of an operation. A larger one is refused with QUERY_TOO_COMPLEX.',
    33_554_432,
    { min: 1_048_576, max: 268_435_456 },
  ),
  readSeconds: settings.integer('FDS_READ_SECONDS', 'How long a statement of any other read may run, in seconds.', 30, {
    min: 1,
    max: 3600,
  }),
  dataDir: settings.text('FDS_DATA_DIR', 'Embedded database, keys, generated passwords.', '.data'),
} as const;

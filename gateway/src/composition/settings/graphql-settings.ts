import { settings } from '@fds/service';

/** Limits of GraphQL documents and of their caches. */
export const graphqlSettings = {
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
  planningMs: settings.integer(
    'FDS_GRAPHQL_PLANNING_MS',
    'Milliseconds a second in which new GraphQL documents of one caller are parsed, validated and planned. A document that is cached takes none.',
    500,
    { min: 10, max: 1000 },
  ),
  planningWaiting: settings.integer(
    'FDS_GRAPHQL_PLANNING_WAITING',
    'New GraphQL documents of one caller that wait for that time; more are refused with 429.',
    100,
    { min: 1, max: 100_000 },
  ),
  planningSeconds: settings.integer(
    'FDS_GRAPHQL_PLANNING_SECONDS',
    'How long a new GraphQL document may wait, in seconds.',
    10,
    { min: 1, max: 3600 },
  ),
} as const;

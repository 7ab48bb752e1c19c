// The direction of dependencies (docs/architecture.md): errors <- pure packages <- domain <- doors <- composition root.
const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

const pure =
  '^subgraphs/shared/(errors|json|model-schema|search|access-rules|references|governance-rules|assembly-contract|matching)/';
const packages = '(subgraphs/shared/[^/]+|subgraphs/(?!shared/)[^/]+|adaptors/[^/]+|gateway|rest-facade|prisma|e2e)';
const tests = '\\.(test|contract)\\.ts$|/src/testing|^subgraphs/shared/testing/';

/**
 * The rooms of records (the folders of its `src`), each with the rooms that it imports. A room may import only rooms
 * that are above it in this table, so imports run in one direction.
 */
const recordRooms = {
  domain: [],
  base: [],
  'catalog-view': ['domain'],
  store: ['domain', 'catalog-view'],
  reading: ['domain', 'base', 'catalog-view', 'store'],
  upkeep: ['domain', 'base', 'store'],
  issues: ['domain', 'base', 'catalog-view', 'store', 'reading'],
  writing: ['domain', 'catalog-view', 'store', 'reading', 'issues'],
  exchange: ['domain', 'base', 'catalog-view', 'store', 'issues'],
  reconciliation: ['domain', 'base', 'catalog-view', 'store', 'reading', 'issues'],
  explain: ['domain', 'catalog-view', 'store', 'reading', 'issues'],
  rehearsal: ['domain', 'catalog-view', 'store', 'reading'],
  doors: [
    'domain',
    'base',
    'catalog-view',
    'store',
    'reading',
    'issues',
    'writing',
    'reconciliation',
    'explain',
    'rehearsal',
  ],
};
for (const [place, [room, allowed]] of Object.entries(recordRooms).entries()) {
  const above = Object.keys(recordRooms).slice(0, place);
  const wrong = allowed.filter((each) => !above.includes(each));
  if (wrong.length > 0)
    throw new Error(`recordRooms: ${room} may not import ${wrong.join(', ')}, which is not above it`);
}
const roomRule = ([room, allowed]) =>
  rule(
    `records-room-${room}`,
    `of the other rooms of records it imports: ${allowed.join(', ') || 'none'}`,
    { path: `^subgraphs/records/src/${room}/`, pathNot: tests },
    { path: '^subgraphs/records/src/', pathNot: `^subgraphs/records/src/(${[room, ...allowed].join('|')})/` },
  );

/**
 * The rooms of the other workspaces, from the ground up: a room imports only rooms that are before it. So no two
 * folders of a workspace import each other.
 */
const rooms = {
  'adaptors/database': 'configuration columns source state scan check incoming assembly',
  'adaptors/file-system': 'patterns uris filters storage configuration state transfer destination source',
  'adaptors/protocol': 'json checks tracing messages channel',
  'adaptors/sdk': 'journal merge properties operations health channel assembly program conformance lifecycle setup',
  'adaptors/temporal': 'events configuration store assembly',
  e2e: 'harness measure programs bench demo doors faults fuzz journeys pages packages processes',
  gateway:
    'admission errors limits requests pages metrics http subgraph-server data-sources stitching executor audit authorization-server login graphql memory backup mcp composition',
  'rest-facade':
    'configuration causes answer body problem query http files idempotency precondition operation routes inside openapi',
  'subgraphs/assembly': 'bounds domain bus store catalog engine resolvers',
  'subgraphs/catalog': 'domain store actions bus operations resolvers',
  'subgraphs/governance': 'domain store actions resolvers',
  'subgraphs/notifications': 'domain store actions delivery resolvers subscriptions',
  'subgraphs/shared/access-rules': 'permissions data',
  'subgraphs/shared/identity': 'change-log holdings users zones passwords bootstrap directory authentication',
  'subgraphs/shared/model-schema': 'names record references schema',
  'subgraphs/shared/search': 'values generated faults pattern expression condition evaluate sql rows',
  'subgraphs/shared/webhook-client': 'headers target http oauth2 signing metadata retry',
};
const slopeRules = Object.entries(rooms).flatMap(([workspace, names]) => [
  rule(
    `${workspace}-has-known-rooms`,
    'a new folder is a new room: give it its place in rooms',
    { path: `^${workspace}/src/[^/]+/`, pathNot: [`^${workspace}/src/(${names.replaceAll(' ', '|')})/`, tests] },
    {},
  ),
  ...names
    .split(' ')
    .map((name, place, all) => ({ name, above: all.slice(place + 1) }))
    .filter(({ above }) => above.length > 0)
    .map(({ name, above }) =>
      rule(
        `${workspace}-room-${name}`,
        `a room imports only rooms that are before it, so not: ${above.join(', ')}`,
        { path: `^${workspace}/src/${name}/`, pathNot: tests },
        { path: `^${workspace}/src/(${above.join('|')})/` },
      ),
    ),
]);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    rule('no-cycles', 'type-only cycles count too', {}, { circular: true }),
    rule('unresolved', 'an import must resolve', {}, { couldNotResolve: true }),
    rule(
      'subgraphs-are-strangers',
      'subgraphs meet through federation, the one database (table-readers.ts lists the readers of tables of another owner) or the bus',
      { path: '^subgraphs/(?!shared/)([^/]+)/' },
      { path: '^subgraphs/(?!shared/)', pathNot: '^subgraphs/$1/' },
    ),
    rule(
      'shared-looks-inward',
      'shared packages import no process',
      { path: '^subgraphs/shared/' },
      { path: '^(subgraphs/(?!shared/)|gateway/|rest-facade/|adaptors/|e2e/)' },
    ),
    rule(
      'pure-packages-do-no-io',
      'compilers, parsers and evaluators do no input or output; hashing is allowed',
      { path: `${pure}.*src/`, pathNot: tests },
      { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
    ),
    rule(
      'pure-packages-stay-pure',
      'they import each other only',
      { path: pure, pathNot: tests },
      { path: '^(subgraphs|prisma|gateway|rest-facade|adaptors|e2e)/', pathNot: [pure, '^subgraphs/shared/auth/'] },
    ),
    rule(
      'domain-is-pure',
      'the domain does not depend on node, Prisma, GraphQL or the bus',
      {
        path: ['^subgraphs/(?!shared/)[^/]+/src/domain/', '^subgraphs/(?!shared/)[^/]+/src/.+/domain/'],
        pathNot: tests,
      },
      {
        path: '^(node_modules/(graphql|pg|@prisma|mqtt|fastify)/|prisma/|subgraphs/shared/(graphql|identity|service)/|subgraphs/[^/]+/src/(resolvers|actions|store|bus)/|subgraphs/[^/]+/src/.+/(resolvers|store|bus)/)',
      },
    ),
    rule(
      'store-knows-the-domain-only',
      'what a statement takes and returns is a type of the domain or of the store; who runs it is not its concern',
      { path: '^subgraphs/(?!shared/)([^/]+)/src/(store/|.+/store/)', pathNot: tests },
      { path: '^subgraphs/$1/src/', pathNot: '^subgraphs/$1/src/((store|domain|catalog-view)/|.+/(store|domain)/)' },
    ),
    rule(
      'stores-decide-no-refusal',
      'a store has statements only. An action decides a refusal; in records and assembly, a room above the store. Types are allowed',
      { path: '^subgraphs/(?!shared/)[^/]+/src/(store/|.+/store/)', pathNot: tests },
      {
        path: '^subgraphs/shared/errors/',
        dependencyTypesNot: ['type-only'],
      },
    ),
    ...Object.entries(recordRooms).map(roomRule),
    rule(
      'records-has-known-rooms',
      'a new folder is a new room: give it its place in recordRooms',
      {
        path: '^subgraphs/records/src/[^/]+/',
        pathNot: [`^subgraphs/records/src/(${Object.keys(recordRooms).join('|')})/`, tests],
      },
      {},
    ),
    ...slopeRules,
    rule(
      'resolvers-do-no-sql',
      'doors translate; the store has the statements',
      { path: '/src/(resolvers|bus)/', pathNot: tests },
      { path: '^node_modules/(pg|@prisma)/' },
    ),
    rule(
      'no-deep-imports',
      'another package is entered by its doors only: its index, and the entry points that its package.json names',
      { path: `^${packages}/` },
      {
        path: `^${packages}/`,
        pathNot: [
          '^$1/',
          '/src/(index|testing|up-dispatch|coalesce-writes|configuration/index)\\.ts$',
          '/dist/(index|testing|up-dispatch|coalesce-writes|configuration/index)\\.',
        ],
      },
    ),
    rule(
      'edge-has-no-domain',
      'only the composition root of the gateway knows the parts',
      { path: '^(gateway|rest-facade)/', pathNot: ['^gateway/src/(composition/|main|generate)', tests] },
      { path: '^(subgraphs/(?!shared/)|adaptors/)' },
    ),
    rule(
      'adaptors-stand-alone',
      'an adaptor runs without the platform',
      { path: '^adaptors/', pathNot: tests },
      { path: '^(subgraphs|gateway|rest-facade|prisma)/' },
    ),
    rule(
      'adaptors-are-tested-alone',
      'the tests of an adaptor use the test package of the platform and nothing else of it',
      { path: `^adaptors/.*(${tests})` },
      { path: '^(subgraphs|gateway|rest-facade|prisma)/', pathNot: '^subgraphs/shared/testing/' },
    ),
    rule(
      'protocol-is-the-ground',
      'protocol <- sdk <- adaptor',
      { path: '^adaptors/protocol/' },
      { path: '^adaptors/(?!protocol/)' },
    ),
    rule(
      'adaptors-are-strangers',
      'one adaptor never imports another',
      { path: '^adaptors/(?!sdk/|bus/|broker/|protocol/)([^/]+)/' },
      { path: '^adaptors/(?!sdk/|bus/|protocol/)', pathNot: '^adaptors/$1/' },
    ),
    rule(
      'e2e-is-a-customer',
      'e2e sees processes from outside; it may use what a customer uses. Benchmarks compare with plain SQL on our tables, and one decision of governance or access shows at no door',
      { path: '^e2e/src/', pathNot: '^e2e/src/bench/(servers/|stage/|rows/(governance-decision|access-costs)\\.ts$)' },
      {
        path: '^(subgraphs|gateway|rest-facade|prisma|adaptors/(?!sdk/|protocol/))',
        pathNot: ['^prisma/src/testing\\.ts$', '^subgraphs/shared/testing/'],
      },
    ),
    rule('nobody-imports-e2e', 'e2e is a leaf', { pathNot: '^e2e/' }, { path: '^e2e/' }),
    rule('main-is-last', 'no module imports a composition root', { pathNot: '/bin/' }, { path: '/src/main\\.ts$' }),
    rule('no-test-code-in-product', 'product code never imports tests', { pathNot: [tests, '^e2e/'] }, { path: tests }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|generated)/|^(gateway|e2e)/bin/' },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@fds/source', 'import', 'default'],
      extensions: ['.ts', '.js', '.mjs'],
    },
  },
};

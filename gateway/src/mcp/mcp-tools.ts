import { AppError } from '@fds/errors';
import { Kind, OperationTypeNode, parse, type DefinitionNode } from 'graphql';

/** A request to the doors of this service, with the token of the caller. */
export interface ToolRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Path with its query. */
  readonly path: string;
  readonly body?: unknown;
}

type Values = Readonly<Record<string, unknown>>;

/** JSON Schema of an argument. */
interface ArgumentSchema {
  readonly type: 'string' | 'integer' | 'object' | 'boolean';
  readonly description: string;
  readonly enum?: readonly string[];
}

/** A tool that a language model may call. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, ArgumentSchema>>;
  readonly required: readonly string[];
  /** Does it change something? */
  readonly access: 'read' | 'write';
  /** @throws AppError for wrong arguments */
  readonly request: (values: Values) => ToolRequest;
}

/** Most rows of an answer. */
export const maxRows = 50;

const text = (description: string): ArgumentSchema => ({ type: 'string', description });
const integer = (description: string): ArgumentSchema => ({ type: 'integer', description });
const object = (description: string): ArgumentSchema => ({ type: 'object', description });

/** Arguments of addresses are texts and integers, see `readArguments`. */
const textOf = (value: unknown): string => `${value as string | number}`;

const segment = (value: unknown): string => encodeURIComponent(textOf(value));

/** A list path with the given filters; an absent value leaves its filter out. */
const list = (path: string, filters: Values, more: Values = {}): string => {
  const terms = Object.entries(filters).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams({ size: String(maxRows) });
  // commas and colons of a value are escaped by a backslash in `filters`
  const escape = (value: unknown): string => textOf(value).replaceAll(/[\\,:]/g, (sign) => `\\${sign}`);
  if (terms.length > 0) query.set('filters', terms.map(([key, value]) => `${key}:${escape(value)}`).join(','));
  for (const [name, value] of Object.entries(more)) if (value !== undefined) query.set(name, textOf(value));
  return `/api${path}?${query.toString()}`;
};

const isQuery = (definition: DefinitionNode): boolean =>
  definition.kind === Kind.FRAGMENT_DEFINITION ||
  (definition.kind === Kind.OPERATION_DEFINITION && definition.operation === OperationTypeNode.QUERY);

/** @throws AppError FORBIDDEN for a document that does more than read */
const requireQuery = (document: string): void => {
  let definitions: readonly DefinitionNode[];
  try {
    definitions = parse(document, { noLocation: true, maxTokens: 10_000 }).definitions;
  } catch (error) {
    throw new AppError(
      'GRAPHQL_PARSE_FAILED',
      error instanceof Error ? error.message : 'the document cannot be parsed',
    );
  }
  if (!definitions.every(isQuery)) throw new AppError('FORBIDDEN', 'graphql_read runs queries only');
};

const adaptorFields =
  'uuid name zoneUuid state stateMessage active discoveryMode lastUpdated capabilities { domainName versionNumber action }';

/** All tools, in the order of the specification. */
export const mcpTools: readonly McpTool[] = [
  {
    name: 'search_records',
    description:
      'Search data records of a domain. Values of federated domains stay in their systems; their keys are shown.',
    properties: {
      domain: text('Name of the domain'),
      version: integer('Version of the domain; default: its default version'),
      query: text('Search expression, such as name = "Ada*"'),
      page: integer(`Page of ${maxRows} records, from 0`),
    },
    required: ['domain'],
    access: 'read',
    request: ({ domain, version, query, page }) => ({
      method: 'GET',
      path: list('/drs', { name: domain, version }, { query, page }),
    }),
  },
  {
    name: 'get_record',
    description: 'Read one data record.',
    properties: { drUuid: text('UUID of the record') },
    required: ['drUuid'],
    access: 'read',
    request: ({ drUuid }) => ({ method: 'GET', path: `/api/drs/${segment(drUuid)}` }),
  },
  {
    name: 'explain',
    description: 'Show the way of events through the hub, with the reason of each decision.',
    properties: { id: text('UUID of a record, data event, transaction, issue, message, reconciliation or request') },
    required: ['id'],
    access: 'read',
    request: ({ id }) => ({ method: 'GET', path: `/api/explain/${segment(id)}` }),
  },
  {
    name: 'adaptor_status',
    description: 'Show state and message of adaptors: of all that you may see, those of a zone, or one.',
    properties: { zoneUuid: text('UUID of a zone'), adaptorUuid: text('UUID of an adaptor'), name: text('Name') },
    required: [],
    access: 'read',
    request: ({ zoneUuid, adaptorUuid, name }) => ({
      method: 'POST',
      path: '/graphql',
      body:
        adaptorUuid === undefined
          ? {
              query: `query ($zoneUuid: Uuid, $name: String) { adaptors(zoneUuid: $zoneUuid, name: $name, size: ${maxRows}) { data { ${adaptorFields} } page { totalElements } } }`,
              variables: { zoneUuid, name },
            }
          : {
              query: `query ($adaptorUuid: Uuid!) { adaptor(uuid: $adaptorUuid) { ${adaptorFields} } }`,
              variables: { adaptorUuid },
            },
    }),
  },
  {
    name: 'list_issues',
    description: 'List data issues, the newest first.',
    properties: {
      zoneUuid: text('UUID of a zone; default: all zones that you may see'),
      status: { ...text('Default: OPEN'), enum: ['OPEN', 'CLOSED'] },
      adaptorUuid: text('UUID of an adaptor'),
      page: integer(`Page of ${maxRows} issues, from 0`),
    },
    required: [],
    access: 'read',
    request: ({ zoneUuid, status = 'OPEN', adaptorUuid, page }) => ({
      method: 'GET',
      path: list(
        zoneUuid === undefined ? '/issues' : `/zones/${segment(zoneUuid)}/issues`,
        { status, adaptor: adaptorUuid },
        { page },
      ),
    }),
  },
  {
    name: 'dry_run',
    description: 'Show which adaptors would get an event of a zone, and without which properties. Nothing is sent.',
    properties: {
      zoneUuid: text('UUID of the zone'),
      event: object('Body of POST /zones/{zoneUuid}/acls/dry-run: action, domainVersionUuid, jsonData and others'),
    },
    required: ['zoneUuid', 'event'],
    access: 'read',
    request: ({ zoneUuid, event }) => ({
      method: 'POST',
      path: `/api/zones/${segment(zoneUuid)}/acls/dry-run`,
      body: event,
    }),
  },
  {
    name: 'rehearse',
    description: 'Show which recorded events other chains or rules would decide otherwise. Nothing is changed.',
    properties: {
      zoneUuid: text('UUID of the zone'),
      rehearsal: object('Body of POST /zones/{zoneUuid}/acls/rehearsal: events, and the chains or rules to try'),
    },
    required: ['zoneUuid', 'rehearsal'],
    access: 'read',
    request: ({ zoneUuid, rehearsal }) => ({
      method: 'POST',
      path: `/api/zones/${segment(zoneUuid)}/acls/rehearsal`,
      body: rehearsal,
    }),
  },
  {
    name: 'graphql_read',
    description: 'Run a GraphQL query. Mutations and subscriptions are refused.',
    properties: {
      query: text('GraphQL document'),
      variables: object('Its variables'),
      operationName: text('Its operation'),
    },
    required: ['query'],
    access: 'read',
    request: ({ query, variables, operationName }) => {
      requireQuery(textOf(query));
      return { method: 'POST', path: '/graphql', body: { query, variables, operationName } };
    },
  },
  {
    name: 'settle_issue',
    description: 'Settle a data issue: its event is dropped, processed again, or assigned to a record.',
    properties: {
      zoneUuid: text('UUID of the zone of the issue'),
      issueUuid: text('UUID of the issue'),
      changeVersion: integer('Its changeVersion, as list_issues shows it'),
      settlement: object('Members to change: status CLOSED with retry, or matchStatus RESOLVED with drUuid'),
    },
    required: ['zoneUuid', 'issueUuid', 'changeVersion', 'settlement'],
    access: 'write',
    request: ({ zoneUuid, issueUuid, changeVersion, settlement }) => ({
      method: 'PATCH',
      path: `/api/zones/${segment(zoneUuid)}/issues/${segment(issueUuid)}`,
      body: { ...(settlement as object), changeVersion },
    }),
  },
  {
    name: 'set_adaptor_state',
    description: 'Pause an adaptor, or let it play again.',
    properties: {
      zoneUuid: text('UUID of the zone of the adaptor'),
      adaptorUuid: text('UUID of the adaptor'),
      changeVersion: integer('Its changeVersion'),
      state: { ...text('The wanted state'), enum: ['STARTED', 'PAUSED'] },
    },
    required: ['zoneUuid', 'adaptorUuid', 'changeVersion', 'state'],
    access: 'write',
    request: ({ zoneUuid, adaptorUuid, changeVersion, state }) => ({
      method: 'PATCH',
      path: `/api/zones/${segment(zoneUuid)}/adaptors/${segment(adaptorUuid)}`,
      body: { state, changeVersion },
    }),
  },
];

const fits = (value: unknown, { type, enum: allowed }: ArgumentSchema): boolean => {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (typeof value !== type || value === '') return false;
  return allowed === undefined || allowed.includes(textOf(value));
};

/** The arguments of a call. @throws AppError VALIDATION_FAILED that names each fault */
export const readArguments = ({ name, properties, required }: McpTool, given: unknown): Values => {
  const values = (given ?? {}) as Values;
  const faults = [
    ...required.filter((each) => values[each] === undefined).map((each) => [each, 'is required'] as const),
    ...Object.entries(values).flatMap(([each, value]): (readonly [string, string])[] => {
      const schema = Object.hasOwn(properties, each) ? properties[each] : undefined;
      if (schema === undefined) return [[each, 'is not known']];
      if (value === undefined || fits(value, schema)) return [];
      return [[each, `must be ${schema.enum?.join(' or ') ?? `of type ${schema.type}`}`]];
    }),
  ];
  if (faults.length === 0) return values;
  throw new AppError(
    'VALIDATION_FAILED',
    `the arguments of ${name} are not valid: ${faults.map((fault) => fault.join(' ')).join(', ')}`,
    {
      errors: faults.map(([pointer, detail]) => ({ pointer: `/${pointer}`, code: 'VALIDATION_FAILED', detail })),
    },
  );
};

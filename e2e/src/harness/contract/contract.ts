import {
  operationsOf,
  type ApiDocument,
  type Door,
  type Operation,
  type Response,
  type Schema,
} from './api-document.js';
import { readQuery } from './read-query.js';
import { asWritten, closed, createSchemaCheck, partial, type SchemaCheck } from './schema-checks.js';

const matches = (template: string, path: string): boolean => {
  const expected = template.split('/');
  const segments = path.split('/');
  return (
    expected.length === segments.length &&
    expected.every((part, index) => part === segments[index] || (part.startsWith('{') && segments[index] !== ''))
  );
};

const placeholders = ({ path }: Operation): number => path.split('{').length;

/** Operations at a path below `/api`, by method. If two templates match, the more specific one applies. */
const findOperations = (operations: readonly Operation[], path: string): ReadonlyMap<string, Operation> => {
  const found = operations.filter((operation) => matches(operation.path, path));
  const fewest = Math.min(...found.map(placeholders));
  const held = found.filter((operation) => placeholders(operation) === fewest);
  return new Map(held.map((operation) => [operation.method, operation]));
};

/** A request to a documented door, in the form in which it was sent. */
export interface SentRequest {
  readonly door: Door;
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
}

/** The received answer. */
export interface ReceivedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The parts of a documented operation that an exchange covers. */
export interface Shown {
  readonly operationId: string;
  readonly status: number;
  /** Parameters and keys that had an effect, and the media type of the body; only for a success. */
  readonly used: readonly string[];
}

/** The OpenAPI document of a server, for validating requests and answers. */
export interface Contract {
  readonly operations: readonly Operation[];
  /** Named schemas of the document. */
  readonly schemas: Readonly<Record<string, Schema>>;
  /**
   * Validates an answer against the document. Validates the request too if it succeeded.
   *
   * @returns the covered parts; undefined when the exchange is not about a documented operation
   * @throws Error that lists every deviation
   */
  hold(request: SentRequest, answer: ReceivedAnswer): Shown | undefined;
}

/** Headers that a client acts on. If an answer has one, the document must contain it. */
const tellingHeaders = [
  'accept-encoding',
  'etag',
  'idempotency-replayed',
  'link',
  'location',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'www-authenticate',
  'x-request-id',
];

/** Statuses that any HTTP server may answer with. They are only documented as `default`. */
const anywhere = new Set([405, 408, 431, 503]);

const mediaTypeOf = (header: string | string[] | undefined): string =>
  String(header ?? '')
    .split(';')[0]
    ?.trim()
    .toLowerCase() ?? '';

const isJson = (mediaType: string): boolean => /[/+]json$/.test(mediaType);

const headerFaults = ({ headers }: Response, answer: ReceivedAnswer): string[] => [
  ...Object.entries(headers).flatMap(([name, { required }]) =>
    required === true && answer.headers[name] === undefined ? [`the header ${name} is missing`] : [],
  ),
  ...tellingHeaders.flatMap((name) =>
    answer.headers[name] !== undefined && !(name in headers) ? [`the header ${name} is not documented`] : [],
  ),
];

const ndjson = 'application/x-ndjson';

/** Validates an answer in lines: the schema applies to each line. */
const linesFaults = (schema: Schema, text: string, check: SchemaCheck): string[] => {
  if (!text.endsWith('\n')) return ['the last line has no end'];
  return text
    .slice(0, -1)
    .split('\n')
    .flatMap((line, index) => check(schema, JSON.parse(line)).map((fault) => `line ${index}: ${fault}`));
};

const bodyFaults = ({ content }: Response, { headers, text }: ReceivedAnswer, check: SchemaCheck): string[] => {
  const mediaType = mediaTypeOf(headers['content-type']);
  if (Object.keys(content).length === 0) return text === '' ? [] : ['there is a body, and none is documented'];
  const schema = content[mediaType]?.schema;
  if (schema === undefined) return [`the media type "${mediaType}" is not documented`];
  if (mediaType === ndjson) return linesFaults(schema, text, check);
  const value: unknown = isJson(mediaType) ? JSON.parse(text) : text;
  return check(schema, value).map((fault) => `body: ${fault}`);
};

/** Multipart bodies and lines are not values that a schema can check. A body that is only validated may be wrong. */
const requestBodyFaults = (
  { bodies }: Operation,
  { url, headers, body }: SentRequest,
  check: SchemaCheck,
): string[] => {
  if (url.searchParams.get('validate-only') === 'true') return [];
  if (body === undefined) return Object.keys(bodies).length === 0 ? [] : ['the request has no body'];
  const mediaType = mediaTypeOf(headers['content-type']);
  const schema: Schema | undefined = bodies[mediaType]?.schema;
  if (schema === undefined) return [`the media type "${mediaType}" of the request is not documented`];
  if (!isJson(mediaType) || typeof body !== 'string' || headers['content-encoding'] !== undefined) return [];
  return check(schema, JSON.parse(body)).map((fault) => `request body: ${fault}`);
};

/** Reads the document once, and compiles its schemas on first use. */
export const createContract = (document: ApiDocument): Contract => {
  const operations = operationsOf(document);
  const { schemas, responses } = document.components;
  const whole = createSchemaCheck(schemas, closed);
  const chosen = createSchemaCheck(schemas, (schema) => partial(closed(schema)));
  const written = createSchemaCheck(schemas, asWritten);
  const [anyProblem] = operations.flatMap(({ responses: all }) => all.get('default') ?? []);
  if (anyProblem === undefined || responses['Problem'] === undefined)
    throw new Error('no default answer is documented');

  const holdRequest = (operation: Operation, request: SentRequest): { faults: string[]; used: string[] } => {
    const { values, unknown } = readQuery(operation, request.url.searchParams);
    const body = Object.keys(operation.bodies).length === 0 ? [] : [mediaTypeOf(request.headers['content-type'])];
    return {
      faults: [
        ...(operation.ignoresOthers ? [] : unknown).map((name) => `the parameter ${name} is not documented`),
        ...values.flatMap(({ name, schema, value }) =>
          written(schema, value).map((fault) => `the parameter ${name}: ${fault}`),
        ),
        ...requestBodyFaults(operation, request, written),
      ],
      used: [...values.map(({ name }) => name), ...body],
    };
  };

  const responseFor = (operation: Operation | undefined, status: number): Response | undefined => {
    if (operation === undefined) return status >= 400 && status < 500 ? anyProblem : undefined;
    return operation.responses.get(String(status)) ?? (anywhere.has(status) ? anyProblem : undefined);
  };

  const hold = (request: SentRequest, answer: ReceivedAnswer): Shown | undefined => {
    const { method, url } = request;
    const path = request.door === 'api' ? url.pathname.slice('/api'.length) : url.pathname;
    const atPath = findOperations(
      operations.filter(({ door }) => door === request.door),
      path,
    );
    const isHead = method === 'HEAD';
    const operation = atPath.get(isHead ? 'GET' : method);
    const { status } = answer;
    if (method === 'OPTIONS' && status === 204 && atPath.size > 0) return undefined;
    const fail = (faults: readonly string[]): void => {
      if (faults.length === 0) return;
      const title = `${method} ${url.pathname}${url.search} answered ${status} against the OpenAPI document:`;
      throw new Error([title, ...faults.map((fault) => `- ${fault}`), answer.text.slice(0, 2000)].join('\n'));
    };
    const response = responseFor(operation, status);
    if (response === undefined) {
      fail([`the status ${status} is not documented`]);
      return undefined;
    }
    const succeeded = status < 400;
    const asked = operation !== undefined && succeeded && !isHead ? holdRequest(operation, request) : undefined;
    fail([
      ...headerFaults(response, answer),
      ...(status === 405 && answer.headers['allow'] === undefined ? ['the header allow is missing'] : []),
      ...(isHead ? [] : bodyFaults(response, answer, url.searchParams.has('fields') && succeeded ? chosen : whole)),
      ...(asked?.faults ?? []),
    ]);
    if (operation === undefined || isHead) return undefined;
    return { operationId: operation.operationId, status, used: asked?.used ?? [] };
  };
  return { operations, schemas, hold };
};

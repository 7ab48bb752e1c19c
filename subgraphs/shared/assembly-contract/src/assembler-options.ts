import { AppError, type ErrorCause } from '@fds/errors';
import { isJsonObject, isUuid, parseJson, type JsonObject, type JsonValue, pointerTo } from '@fds/json';
import type { AssemblyRequest } from './assembly-request.js';

/**
 * Members of an assembly request that `additionalParameters` of a federated GraphQL field may hold. The field's own arguments
 * state the others: which records, which page, for which zone.
 */
export type AssemblerOptions = Pick<
  AssemblyRequest,
  | 'timeout'
  | 'releasePolicy'
  | 'expandRefs'
  | 'maxRefSize'
  | 'maxRefDepth'
  | 'requestedProperties'
  | 'adaptors'
  | 'goldAdaptors'
  | 'silverAdaptors'
  | 'bronzeAdaptors'
  | 'additionalParams'
>;

const argument = 'additionalParameters';

type Rule = readonly [expected: string, holds: (value: JsonValue) => boolean];

const integer: Rule = ['an integer', (value) => Number.isInteger(value)];
const truth: Rule = ['true or false', (value) => typeof value === 'boolean'];
const policy: Rule = [
  'one of GOLD, GOLD_SILVER, ASAP',
  (value) => value === 'GOLD' || value === 'GOLD_SILVER' || value === 'ASAP',
];
const object: Rule = ['an object', isJsonObject];
const text: Rule = ['text', (value) => typeof value === 'string'];
const uuid: Rule = ['a UUID', (value) => typeof value === 'string' && isUuid(value)];

const values: Readonly<Partial<Record<keyof AssemblerOptions, Rule>>> = {
  timeout: integer,
  releasePolicy: policy,
  expandRefs: truth,
  maxRefSize: integer,
  maxRefDepth: integer,
  additionalParams: object,
};

const lists: Readonly<Partial<Record<keyof AssemblerOptions, Rule>>> = {
  requestedProperties: text,
  adaptors: uuid,
  goldAdaptors: uuid,
  silverAdaptors: uuid,
  bronzeAdaptors: uuid,
};

const allowed = [...Object.keys(values), ...Object.keys(lists)];

/** Decided by the arguments of the field. */
const ownArguments: ReadonlySet<string> = new Set(['zoneUuid', 'drUuids', 'query', 'sort', 'page', 'size']);

const held = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

const check = ([expected, holds]: Rule, value: JsonValue, name: string): ErrorCause[] =>
  holds(value) ? [] : [{ pointer: `${argument}/${name}`, code: 'WRONG_TYPE', detail: `${name} must be ${expected}` }];

const faultsOf = (name: string, value: JsonValue): ErrorCause[] => {
  const rule = held(values, name);
  if (rule !== undefined) return check(rule, value, name);
  const element = held(lists, name);
  if (element === undefined) {
    const instead = ownArguments.has(name) ? `use the argument ${name} of the field` : `allowed: ${allowed.join(', ')}`;
    return [
      {
        pointer: pointerTo(argument, name),
        code: 'UNKNOWN_OPTION',
        detail: `"${name}" is not an option here; ${instead}`,
      },
    ];
  }
  if (!Array.isArray(value)) return check(['a list', Array.isArray], value, name);
  return value.flatMap((item: JsonValue, index) => check(element, item, `${name}/${index}`));
};

const refuse = (detail: string, errors: readonly ErrorCause[]): never => {
  throw new AppError('INVALID_PARAMETER', detail, { errors });
};

const readObject = (encoded: string): JsonObject => {
  let value: JsonValue;
  try {
    value = parseJson(encoded);
  } catch (error) {
    const why = error instanceof SyntaxError ? `: ${error.message}` : '';
    return refuse(`${argument} is not JSON${why}`, [
      { pointer: argument, code: 'MALFORMED_JSON', detail: `must be a JSON-encoded object${why}` },
    ]);
  }
  if (isJsonObject(value)) return value;
  return refuse(`${argument} is not an object`, [
    { pointer: argument, code: 'INVALID_TYPE', detail: 'must be a JSON-encoded object' },
  ]);
};

/**
 * Reads `additionalParameters` of a federated GraphQL field. A member that is null counts as left out.
 *
 * @param encoded a JSON-encoded object (docs/reference/graphql.md#record-types)
 * @throws AppError INVALID_PARAMETER with every fault, each at `additionalParameters/<name>`
 */
export const parseAssemblerOptions = (encoded: string): AssemblerOptions => {
  const given = Object.entries(readObject(encoded)).flatMap(([name, value]): [string, JsonValue][] =>
    value === null || value === undefined ? [] : [[name, value]],
  );
  const errors = given.flatMap(([name, value]) => faultsOf(name, value));
  if (errors.length > 0) refuse(`${argument} is not valid`, errors);
  return Object.fromEntries(given) as AssemblerOptions;
};

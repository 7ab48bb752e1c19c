import { isUuid, parseJson, stringifyJson, type JsonValue } from '@fds/json';
import { GraphQLError, GraphQLFloat, GraphQLScalarType, Kind, valueFromASTUntyped, type ValueNode } from 'graphql';

/** Longer text is out of range in any case, and takes long to read. Zeros in front count. */
const integerText = /^-?\d{1,100}$/;
const dateTimeText = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i;

const toLong = (value: unknown): number | bigint => {
  const whole =
    typeof value === 'bigint'
      ? value
      : typeof value === 'number' && Number.isSafeInteger(value)
        ? BigInt(value)
        : typeof value === 'string' && integerText.test(value)
          ? BigInt(value)
          : undefined;
  if (whole === undefined || BigInt.asIntN(64, whole) !== whole)
    throw new GraphQLError('Long must be a 64-bit signed integer');
  const small = Number(whole);
  return Number.isSafeInteger(small) ? small : whole;
};

/** 64-bit signed integer: a JSON integer, exact beyond 2^53 too. Text is accepted on input. */
export const Long = new GraphQLScalarType<number | bigint, number | bigint>({
  name: 'Long',
  description: '64-bit signed integer, a JSON integer, exact beyond 2^53.',
  serialize: toLong,
  parseValue: toLong,
  parseLiteral: (node) => toLong(node.kind === Kind.INT || node.kind === Kind.STRING ? node.value : undefined),
});

const toUuid = (value: unknown): string => {
  if (typeof value !== 'string' || !isUuid(value)) throw new GraphQLError('Uuid must be a UUID string');
  return value.toLowerCase();
};

export const Uuid = new GraphQLScalarType<string, string>({
  name: 'Uuid',
  description: 'UUID string.',
  serialize: (value) => value as string,
  parseValue: toUuid,
  parseLiteral: (node) => toUuid(node.kind === Kind.STRING ? node.value : undefined),
});

/** Is there such a day? `Date` takes the 30th of February for the 2nd of March. */
const isDay = (text: string): boolean => {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
};

const toDate = (value: unknown): Date => {
  const day = typeof value === 'string' ? dateTimeText.exec(value)?.[1] : undefined;
  const date = day !== undefined && isDay(day) ? new Date(value as string) : undefined;
  if (date === undefined || Number.isNaN(date.getTime()))
    throw new GraphQLError('DateTime must be an RFC 3339 date-time');
  return date;
};

/** RFC 3339 date-time. Resolvers give a Date, or RFC 3339 text (kept unchanged). */
export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'RFC 3339 date-time.',
  serialize: (value) => (value instanceof Date ? value.toISOString() : (value as string)),
  parseValue: toDate,
  parseLiteral: (node) => toDate(node.kind === Kind.STRING ? node.value : undefined),
});

/** JSON that is text already: goes out unparsed. */
export class JsonText {
  constructor(readonly text: string) {}
}

const nativeJson = (value: unknown): JsonValue => {
  if (typeof value !== 'string') return value as JsonValue;
  try {
    return parseJson(value);
  } catch {
    throw new GraphQLError('Json must be JSON-encoded text');
  }
};

type Variables = Readonly<Record<string, unknown>> | null | undefined;

/** Text is JSON-encoded, every other kind of literal is native; an enum value is its name. Variables may be inside. */
const literalJson = (node: ValueNode, variables: Variables): JsonValue =>
  node.kind === Kind.STRING ? nativeJson(node.value) : (valueFromASTUntyped(node, variables) as JsonValue);

/**
 * JSON-encoded string. Resolvers give the native value, or a JsonText; arguments arrive parsed and may be sent as
 * JSON-encoded text or as native values.
 */
export const Json = new GraphQLScalarType<JsonValue, string>({
  name: 'Json',
  description: 'JSON-encoded string.',
  serialize: (value) => (value instanceof JsonText ? value.text : stringifyJson(value)),
  parseValue: nativeJson,
  parseLiteral: literalJson,
});

/** A Float under another name: record types bring their own Float, and a schema has one. */
const Score = new GraphQLScalarType<number, number>({
  ...GraphQLFloat.toConfig(),
  name: 'Score',
  description: 'A number from 0 to 1: how alike records are, or how much of a work is done.',
  // a literal such as 1e400 is infinite, and not a number that JSON has
  parseLiteral: (node) => GraphQLFloat.parseValue(GraphQLFloat.parseLiteral(node)),
});

/** Every scalar that subgraphs declare. The gateway checks values by them before a subgraph gets them. */
export const scalars = { Long, Uuid, DateTime, Json, Score };

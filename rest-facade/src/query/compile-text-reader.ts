import { isUuid } from '@fds/json';
import { getNullableType, isEnumType, isListType, type GraphQLInputType } from 'graphql';
import type { LeafFormat } from '../answer/answer-shape.js';
import { formatOf } from '../answer/compile-shape.js';

/** A text that does not fit the type. The message completes a sentence that starts with the parameter's name. */
export class TextFault extends Error {}

/** Reads the parts of a term, or the text of a parameter as the only part. @throws TextFault */
export type TextReader = (parts: readonly string[]) => unknown;

const integerText = /^-?\d{1,19}$/;

const readInteger = (text: string, bits: number): number | bigint => {
  const whole = integerText.test(text) ? BigInt(text) : undefined;
  if (whole === undefined || BigInt.asIntN(bits, whole) !== whole) throw new TextFault('must be an integer');
  const small = Number(whole);
  return Number.isSafeInteger(small) ? small : whole;
};

const decimalText = /^-?\d{1,19}(?:\.\d{1,19})?$/;

const readNumber = (text: string): number => {
  if (decimalText.test(text)) return Number(text);
  throw new TextFault('must be a number');
};

const readBoolean = (text: string): boolean => {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new TextFault('must be true or false');
};

const readUuid = (text: string): string => {
  if (isUuid(text)) return text.toLowerCase();
  throw new TextFault('must be a UUID');
};

const maxEpochMs = 8.64e15;

/** The REST API has times in epoch milliseconds; the variable needs RFC 3339. */
const readDateTime = (text: string): string => {
  const time = integerText.test(text) ? Number(text) : Number.NaN;
  if (Math.abs(time) <= maxEpochMs) return new Date(time).toISOString();
  throw new TextFault('must be a time in epoch milliseconds');
};

const scalarReaders: Readonly<Partial<Record<LeafFormat, (text: string) => unknown>>> = {
  uuid: readUuid,
  int32: (text) => readInteger(text, 32),
  int64: (text) => readInteger(text, 64),
  number: readNumber,
  boolean: readBoolean,
  dateTime: readDateTime,
};

const single = (read: (text: string) => unknown): TextReader => {
  return ([text = '', ...more]) => {
    if (more.length > 0) throw new TextFault('is one value; put a value with a colon in double quotes');
    return read(text);
  };
};

const readText = (text: string): string => {
  if (text.trim() === '') throw new TextFault('must not be empty');
  return text;
};

/** Compiles the reader of a filter, option or parameter from the type of the variable that it supplies. */
export const compileTextReader = (type: GraphQLInputType): TextReader => {
  const bare = getNullableType(type);
  if (isListType(bare)) {
    const read = compileTextReader(bare.ofType);
    return (parts) => parts.map((part) => read([part]));
  }
  if (isEnumType(bare)) {
    const names = bare.getValues().map(({ name }) => name);
    return single((text) => {
      const name = names.find((candidate) => candidate.toLowerCase() === text.toLowerCase());
      if (name !== undefined) return name;
      throw new TextFault(`must be one of ${names.join(', ')}`);
    });
  }
  return single(scalarReaders[formatOf(bare.toString())] ?? readText);
};

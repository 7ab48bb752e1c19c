import type { ErrorCause } from '@fds/errors';
import { isJsonObject, type JsonValue, isStorableText, pointerTo } from '@fds/json';
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
} from 'graphql';
import { objectOf, type ObjectShape, type Shape } from '../answer/answer-shape.js';
import { formatOf } from '../answer/compile-shape.js';
import type { Reading } from '../causes/reading.js';
import { readScalar } from './read-scalar.js';

/**
 * Reads the value of a variable from a member of a body. The reading gets each fault with its JSON pointer; faulty
 * members are left out. Undefined when the whole member must be left out.
 */
export type MemberReader = (value: JsonValue, pointer: string, reading: Reading) => unknown;

const wrongType = (pointer: string, expected: string): ErrorCause => ({
  pointer,
  code: 'WRONG_TYPE',
  detail: `${pointer === '' ? 'the body' : pointer.slice(1)} must be ${expected}`,
});

/** Shapes in which answers show the same member. A client may send back the content of a GET. */
type ReadShapes = readonly Shape[];

const memberShapes = (reads: ReadShapes, name: string): Shape[] =>
  reads
    .map(objectOf)
    .flatMap((object: ObjectShape | undefined) => object?.members ?? [])
    .filter((member) => member.name === name)
    .map(({ shape }) => shape);

const enumReader = (names: readonly string[], reads: ReadShapes): MemberReader => {
  const shown = new Set(reads.flatMap((shape) => (shape.kind === 'leaf' ? (shape.values ?? []) : [])));
  return (value, pointer, reading) => {
    if (typeof value === 'string' && names.includes(value)) return value;
    // an answer may show values that the body does not accept, such as some states of an adaptor
    if (typeof value === 'string' && shown.has(value)) return undefined;
    reading.add({ ...wrongType(pointer, `one of ${names.join(', ')}`), code: 'NOT_ALLOWED' });
    return undefined;
  };
};

/** Most elements of a list, because each is checked on its own, and looked up or saved. */
const maxElements = 10_000;

const listReader = (element: GraphQLInputType, reads: ReadShapes): MemberReader => {
  const read = compileMemberReader(element, reads);
  return (value, pointer, reading) => {
    if (Array.isArray(value)) {
      if (value.length > maxElements) {
        reading.add({ pointer, code: 'TOO_LONG', detail: `${pointer.slice(1)} has more than ${maxElements} elements` });
        return undefined;
      }
      const elements: unknown[] = [];
      for (const [index, item] of (value as readonly JsonValue[]).entries()) {
        const element = read(item, pointerTo(pointer, index), reading);
        if (element === undefined) reading.leaveOut(pointer, index);
        else elements.push(element);
        if (reading.isFull) break;
      }
      return elements;
    }
    const isOne = value !== null && typeof value !== 'object';
    reading.add(wrongType(pointer, isOne ? 'a list: put one value in brackets, too' : 'a list'));
    return undefined;
  };
};

/** A member that the body may contain, with its reader. */
interface Known {
  readonly read: MemberReader;
  readonly required: boolean;
  /** Replaces a required member that is missing or wrong, so that the rest of the refused body can be checked. */
  readonly standIn?: string | undefined;
}

/**
 * Describes a member by its type. If it is a required enum, any of its values can replace it, because the value of an
 * enum refers to nothing.
 */
export const knownMember = (type: GraphQLInputType, reads: ReadShapes, required: boolean): Known => {
  const bare = getNullableType(type);
  const standIn = required && isEnumType(bare) ? bare.getValues()[0]?.name : undefined;
  return { read: compileMemberReader(type, reads), required, standIn };
};

/** Reads an object by its known members; undefined when a required one is missing or wrong and has no replacement. */
export const objectReader = (known: ReadonlyMap<string, Known>, reads: ReadShapes): MemberReader => {
  const shown = new Set(reads.map(objectOf).flatMap((object) => object?.members.map(({ name }) => name) ?? []));
  const allowed = [...known.keys()].join(', ');
  return (value, pointer, reading) => {
    if (!isJsonObject(value)) {
      reading.add(wrongType(pointer, 'an object'));
      return undefined;
    }
    const members: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const given = value[name];
      const member = known.get(name);
      if (member !== undefined) {
        const read = given === undefined ? undefined : member.read(given, pointerTo(pointer, name), reading);
        if (read !== undefined) members[name] = read;
      } else if (reading.isFull) {
        break;
      } else if (!shown.has(name)) {
        const detail = `"${name}" is unknown; allowed: ${allowed}`;
        reading.add({ pointer: pointerTo(pointer, name), code: 'UNKNOWN_MEMBER', detail });
      }
    }
    let isWhole = true;
    for (const [name, { required, standIn }] of known) {
      if (!required || members[name] !== undefined) continue;
      if (value[name] === undefined) {
        reading.add({ pointer: pointerTo(pointer, name), code: 'REQUIRED', detail: `${name} is required` });
      }
      if (standIn === undefined) isWhole = false;
      else members[name] = standIn;
    }
    return isWhole ? members : undefined;
  };
};

const inputObjectReader = (type: GraphQLInputObjectType, reads: ReadShapes): MemberReader => {
  const known = Object.values(type.getFields()).map(({ name, type: field, defaultValue }) => {
    const required = isNonNullType(field) && defaultValue === undefined;
    return [name, knownMember(field, memberShapes(reads, name), required)] as const;
  });
  return objectReader(new Map(known), reads);
};

const presentReader = (type: GraphQLInputType, reads: ReadShapes): MemberReader => {
  if (isListType(type)) return listReader(type.ofType, reads);
  if (isInputObjectType(type)) return inputObjectReader(type, reads);
  if (isEnumType(type))
    return enumReader(
      type.getValues().map(({ name }) => name),
      reads,
    );
  const format = formatOf(getNamedType(type).name);
  return (value, pointer, reading) => {
    const read = readScalar(format, value);
    if (typeof read.value === 'string' && !isStorableText(read.value)) {
      const detail = `${pointer.slice(1)} holds a character that cannot be stored`;
      reading.add({ pointer, code: 'INVALID_CHARACTER', detail });
      return undefined;
    }
    if (read.fault !== undefined)
      reading.add(wrongType(pointer, Array.isArray(value) ? `${read.fault}, and not a list` : read.fault));
    return read.value;
  };
};

/**
 * Compiles the reader of a member from the type of the input field that it supplies.
 *
 * @param reads shapes of the same member in answers; their members may be sent back and are ignored
 */
export const compileMemberReader = (type: GraphQLInputType, reads: ReadShapes): MemberReader => {
  const required = isNonNullType(type);
  // a required word must be present, even if answers do not show it
  const read = presentReader(required ? type.ofType : type, required && isEnumType(type.ofType) ? [] : reads);
  return (value, pointer, reading) => {
    if (value !== null) return read(value, pointer, reading);
    if (!required) return null;
    reading.add(wrongType(pointer, 'given, not null'));
    return undefined;
  };
};

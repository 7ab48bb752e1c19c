import { isJsonObject, type JsonValue, pointerTo } from '@fds/json';
import { getNullableType, isListType, isNonNullType, type GraphQLInputType } from 'graphql';
import type { Shape } from '../answer/answer-shape.js';
import type { Reading } from '../causes/reading.js';
import type { BodyDeclaration } from '../route.js';
import { compileMemberReader, knownMember, objectReader, type MemberReader } from './compile-member-reader.js';

/**
 * Reads the variables from a body. The reading gets every wrong type, unknown member and missing member; faulty members
 * are left out. Undefined when the rest cannot be passed on.
 */
export type BodyReader = (
  body: JsonValue | undefined,
  reading: Reading,
) => Readonly<Record<string, unknown>> | undefined;

type Types = ReadonlyMap<string, GraphQLInputType>;

const requireType = (types: Types, variable: string): GraphQLInputType => {
  const type = types.get(variable);
  if (type === undefined) throw new Error(`the document has no variable $${variable}`);
  return type;
};

const asVariable =
  (variable: string, read: MemberReader): MemberReader =>
  (body, pointer, reading) => {
    const value = read(body, pointer, reading);
    return value === undefined ? undefined : { [variable]: value };
  };

const oneOrManyReader = (type: GraphQLInputType, reads: readonly Shape[]): MemberReader => {
  const list = getNullableType(type);
  if (!isListType(list)) throw new Error('a member that takes one or many values is a list');
  const readList = compileMemberReader(type, reads);
  const readOne = compileMemberReader(list.ofType, reads);
  return (body, pointer, reading) => {
    if (Array.isArray(body)) return readList(body, pointer, reading);
    reading.wrap();
    const one = readOne(body, pointer, reading);
    return one === undefined ? undefined : [one];
  };
};

/** The members of a list answer next to its collection. */
const listMembers = new Set(['_links', '_page']);

/** Reads a list, either bare or in the form of a list answer, so that a client can send back a list that it read. */
const listReader =
  (wrapper: string, read: MemberReader): MemberReader =>
  (body, pointer, reading) => {
    if (!isJsonObject(body)) return read(body, pointer, reading);
    for (const name of Object.keys(body)) {
      if (name === wrapper || listMembers.has(name)) continue;
      const detail = `"${name}" is unknown; allowed: ${wrapper}`;
      reading.add({ pointer: pointerTo(pointer, name), code: 'UNKNOWN_MEMBER', detail });
    }
    const list = body[wrapper];
    const place = pointerTo(pointer, wrapper);
    reading.unwrap(place);
    if (list !== undefined) return read(list, place, reading);
    reading.add({ pointer: place, code: 'REQUIRED', detail: `${wrapper} is required` });
    return undefined;
  };

const variablesReader = (declaration: BodyDeclaration, types: Types, reads: readonly Shape[]): MemberReader => {
  if (declaration.kind === 'members') {
    const known = declaration.variables.map((variable) => {
      const type = requireType(types, variable);
      return [variable, knownMember(type, [], isNonNullType(type))] as const;
    });
    return objectReader(new Map(known), reads);
  }
  const { variable } = declaration;
  const type = requireType(types, variable);
  if (declaration.kind === 'oneOrMany') return asVariable(variable, oneOrManyReader(type, reads));
  const read = compileMemberReader(type, reads);
  return asVariable(variable, declaration.kind === 'object' ? read : listReader(declaration.wrapper, read));
};

/**
 * Compiles the reader of a route's body from the types of the variables that it supplies.
 *
 * @param reads shapes that show the resource; their members may be sent back and are ignored
 */
export const compileBodyReader = (declaration: BodyDeclaration, types: Types, reads: readonly Shape[]): BodyReader => {
  const read = variablesReader(declaration, types, reads);
  return (body, reading) => {
    if (body !== undefined) return read(body, '', reading) as Readonly<Record<string, unknown>> | undefined;
    reading.add({ pointer: '', code: 'REQUIRED', detail: 'a JSON body is required' });
    return undefined;
  };
};

import { AppError, type ErrorCause } from '@fds/errors';
import type { JsonValue } from '@fds/json';
import { isNonNullType, type GraphQLInputType } from 'graphql';
import type { Shape } from '../answer/answer-shape.js';
import type { BodyDeclaration } from '../route.js';
import { compileMemberReader, objectReader, type MemberReader } from './compile-member-reader.js';

/**
 * Turns a body into variables.
 *
 * @throws AppError VALIDATION_FAILED with every fault of type, every unknown member and every missing one
 */
export type BodyReader = (body: JsonValue | undefined) => Readonly<Record<string, unknown>>;

type Types = ReadonlyMap<string, GraphQLInputType>;

const requireType = (types: Types, variable: string): GraphQLInputType => {
  const type = types.get(variable);
  if (type === undefined) throw new Error(`the document has no variable $${variable}`);
  return type;
};

const variablesReader = (declaration: BodyDeclaration, types: Types, reads: readonly Shape[]): MemberReader => {
  if (declaration.kind === 'members') {
    const known = declaration.variables.map((variable) => {
      const type = requireType(types, variable);
      return [variable, { read: compileMemberReader(type, []), required: isNonNullType(type) }] as const;
    });
    return objectReader(new Map(known), reads);
  }
  const { variable, kind } = declaration;
  const read = compileMemberReader(requireType(types, variable), reads);
  if (kind === 'object') return (body, pointer, causes) => ({ [variable]: read(body, pointer, causes) });
  return (body, pointer, causes) => {
    if (Array.isArray(body)) return { [variable]: read(body, pointer, causes) };
    const faults: ErrorCause[] = [];
    const list = read([body], pointer, faults);
    causes.push(...faults.map((fault) => ({ ...fault, pointer: fault.pointer.replace(/^\/0/, '') })));
    return { [variable]: list };
  };
};

/**
 * Compiles the reader of a route's body from the types of the variables it feeds.
 *
 * @param reads shapes in which the resource is shown; their members may be sent back and are ignored
 */
export const compileBodyReader = (declaration: BodyDeclaration, types: Types, reads: readonly Shape[]): BodyReader => {
  const read = variablesReader(declaration, types, reads);
  return (body) => {
    const errors: ErrorCause[] = [];
    if (body === undefined) errors.push({ pointer: '', code: 'REQUIRED', detail: 'a JSON body is required' });
    const variables = body === undefined ? {} : read(body, '', errors);
    if (errors.length > 0) {
      throw new AppError('VALIDATION_FAILED', errors.map(({ detail }) => detail).join('; '), { errors });
    }
    return variables as Readonly<Record<string, unknown>>;
  };
};

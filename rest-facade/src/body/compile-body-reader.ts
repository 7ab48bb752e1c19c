import { AppError, type ErrorCause } from '@fds/errors';
import { isJsonObject, type JsonValue } from '@fds/json';
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

const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const requireType = (types: Types, variable: string): GraphQLInputType => {
  const type = types.get(variable);
  if (type === undefined) throw new Error(`the document has no variable $${variable}`);
  return type;
};

/** What a list answer holds beside its collection. */
const listMembers = new Set(['_links', '_page']);

/** A list, bare or wrapped as a list answer is, so that what was read may be sent back. */
const listReader =
  ({ variable, wrapper }: BodyDeclaration & { readonly kind: 'list' }, read: MemberReader): MemberReader =>
  (body, pointer, causes) => {
    if (!isJsonObject(body)) return { [variable]: read(body, pointer, causes) };
    for (const name of Object.keys(body)) {
      if (name === wrapper || listMembers.has(name)) continue;
      const detail = `"${name}" is unknown; allowed: ${wrapper}`;
      causes.push({ pointer: `${pointer}/${escapePointer(name)}`, code: 'UNKNOWN_MEMBER', detail });
    }
    const list = body[wrapper];
    if (list !== undefined) return { [variable]: read(list, `${pointer}/${wrapper}`, causes) };
    causes.push({ pointer: `${pointer}/${wrapper}`, code: 'REQUIRED', detail: `${wrapper} is required` });
    return {};
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
  if (kind === 'list') return listReader(declaration, read);
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

import { readFileSync } from 'node:fs';
import { scalars } from '@fds/graphql';
import { describe, expect, it } from '@jest/globals';
import {
  coerceInputValue,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
  parse,
  specifiedScalarTypes,
  validate,
  type GraphQLArgument,
  type GraphQLInputType,
} from 'graphql';
import { buildApiSchema } from './api-schema.js';

const schema = buildApiSchema(readFileSync(new URL('../../api.graphql', import.meta.url), 'utf8'));

/** Literals, and the same values as variables, that are of the wrong kind for the type of a value. */
const wrongFor = (name: string, isEnum: boolean): readonly (readonly [literal: string, value: unknown])[] => {
  const common = [
    ['{ a: 1 }', { a: 1 }],
    ['[[X]]', [['X']]],
  ] as const;
  if (isEnum) return [...common, ['"X"', 'X'], ['1', 1], ['NO_SUCH_VALUE', 'NO_SUCH_VALUE'], ['true', true]];
  switch (name) {
    case 'String':
      return [...common, ['X', 1], ['1', 1], ['true', true]];
    case 'ID':
      return [...common, ['X', true], ['true', true]];
    case 'Boolean':
      return [...common, ['X', 'X'], ['"true"', 'true'], ['1', 1]];
    case 'Uuid':
    case 'DateTime':
      return [...common, ['X', 1], ['1', 1], ['"x"', 'x'], ['true', true]];
    case 'Float':
      // the standard scalar reads 1e400 as infinity; the range of the member refuses it
      return [...common, ['X', 'X'], ['"x"', 'x'], ['true', true]];
    default:
      return [...common, ['X', 'X'], ['"x"', 'x'], ['true', true], ['1e400', Number.POSITIVE_INFINITY]];
  }
};

/** Embeds a value of the innermost type in the lists and objects around it. */
interface Place {
  readonly path: string;
  readonly type: GraphQLInputType;
  readonly literal: (inner: string) => string;
  readonly value: (inner: unknown) => unknown;
}

const maxDepth = 6;

/** Every place of a value below an argument: elements of lists, members of input objects. */
const placesOf = function* (place: Place, depth = 0): Generator<Place> {
  const { path, type, literal, value } = place;
  if (isNonNullType(type)) {
    yield* placesOf({ ...place, type: type.ofType }, depth);
  } else if (isListType(type)) {
    const inner = { literal: (one: string) => literal(`[${one}]`), value: (one: unknown) => value([one]) };
    yield* placesOf({ path: `${path}[]`, type: type.ofType, ...inner }, depth + 1);
  } else if (isInputObjectType(type)) {
    if (depth > maxDepth) return;
    for (const field of Object.values(type.getFields())) {
      yield* placesOf(
        {
          path: `${path}.${field.name}`,
          type: field.type,
          literal: (one) => literal(`{ ${field.name}: ${one} }`),
          value: (one) => value({ [field.name]: one }),
        },
        depth + 1,
      );
    }
  } else if (getNamedType(type).name !== 'Json') {
    yield place;
  }
};

const roots = (
  [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const
).flatMap(([kind, type]) =>
  Object.values(type?.getFields() ?? {}).flatMap((field) => field.args.map((argument) => ({ kind, field, argument }))),
);

const startOf = ({ name, type }: GraphQLArgument): Place => ({
  path: name,
  type,
  literal: (one) => one,
  value: (one) => one,
});

describe('a value of the wrong kind', () => {
  it('is found for every scalar of the schema', () => {
    const custom = Object.values(schema.getTypeMap()).filter(
      (type) => isScalarType(type) && !specifiedScalarTypes.some(({ name }) => name === type.name),
    );
    expect(custom.map(({ name }) => name).filter((name) => !Object.hasOwn(scalars, name))).toEqual([]);
  });

  it('is a fault of the document, in every argument, list and member', () => {
    const accepted: string[] = [];
    let places = 0;
    for (const { kind, field, argument } of roots) {
      for (const { path, type, literal } of placesOf(startOf(argument))) {
        places += 1;
        const named = getNamedType(type);
        for (const [wrong] of wrongFor(named.name, isEnumType(named))) {
          const document = `${kind} { ${field.name}(${argument.name}: ${literal(wrong)}) }`;
          const place = `(${argument.name}:`;
          const at = document.indexOf(place) + place.length;
          const faults = validate(schema, parse(document)).filter(({ positions = [] }) =>
            positions.some((position) => position > at),
          );
          if (faults.length === 0) accepted.push(`${field.name} ${path}: ${wrong}`);
        }
      }
    }
    expect(accepted).toEqual([]);
    expect(places).toBeGreaterThan(300);
  });

  it('is a fault of the variable', () => {
    const accepted: string[] = [];
    for (const { field, argument } of roots) {
      for (const { path, type, value } of placesOf(startOf(argument))) {
        const named = getNamedType(type);
        for (const [, wrong] of wrongFor(named.name, isEnumType(named))) {
          const faults: string[] = [];
          coerceInputValue(value(wrong), argument.type, (at) => void faults.push(at.join('.')));
          if (faults.length === 0) accepted.push(`${field.name} ${path}: ${JSON.stringify(wrong)}`);
        }
      }
    }
    expect(accepted).toEqual([]);
  });
});

import { maxPageSize } from '@fds/graphql';
import { getNullableType, isListType, type GraphQLInputType } from 'graphql';
import type { Operation } from '../operation/read-operation.js';
import { placeholdersOf } from '../http/fill-path.js';
import { selectableOf, type GraphqlRoute, type QueryDeclaration } from '../route.js';
import { sampleUuid } from './body-examples.js';
import { inputSchema } from './json-schema.js';
import type { JsonSchema, SchemaRegistry } from './schema-registry.js';

/** A parameter of an endpoint in the OpenAPI document and in GET `/endpoints`. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  /** Keys of a parameter that has several, with the schemas of their values. */
  readonly keys?: Readonly<Record<string, JsonSchema>>;
  readonly example?: unknown;
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema: JsonSchema;
}

/** `adaptorOrPreferenceUuid` is the UUID of the adaptor or preference. */
const placeholderText = (name: string): string => {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.endsWith(' uuid') ? `UUID of the ${words.slice(0, -' uuid'.length)}` : words;
};

const pathParameters = (path: string): Parameter[] =>
  placeholdersOf(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    description: placeholderText(name),
    schema: { type: 'string', ...(name.endsWith('Uuid') ? { format: 'uuid' } : {}) },
  }));

const text = (name: string, description: string): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema: { type: 'string' },
});

/** Schema of the text of a value. A nullable value may be left out. */
const valueSchema = (type: GraphQLInputType, registry: SchemaRegistry): JsonSchema => {
  const { type: types, ...rest } = inputSchema(getNullableType(type), registry);
  const schema: JsonSchema = { type: Array.isArray(types) ? types[0] : types, ...rest };
  return isListType(getNullableType(type)) ? schema : withoutNull(schema);
};

const withoutNull = ({ enum: values, ...schema }: JsonSchema): JsonSchema =>
  Array.isArray(values) ? { ...schema, enum: values.filter((value) => value !== null) } : schema;

type Types = ReadonlyMap<string, GraphQLInputType>;

const keysOf = (names: Readonly<Record<string, string>>, types: Types, registry: SchemaRegistry) =>
  Object.fromEntries(
    Object.entries(names).map(([key, variable]) => [
      key,
      valueSchema(types.get(variable) as GraphQLInputType, registry),
    ]),
  );

const sampleOf = ({ type, format, enum: values, items }: JsonSchema): string => {
  if (Array.isArray(values)) return String(values[0]);
  if (type === 'array') return sampleOf(items as JsonSchema);
  if (format === 'uuid') return sampleUuid;
  if (type === 'boolean') return 'true';
  return type === 'integer' ? '1' : 'abc';
};

const allowedValues = ({ enum: values }: JsonSchema): string => (Array.isArray(values) ? ` (${values.join('/')})` : '');

const terms = (name: string, keys: Readonly<Record<string, JsonSchema>>): Parameter => {
  const described = Object.entries(keys).map(([key, schema]) => `${key}${allowedValues(schema)}`);
  const [first] = Object.entries(keys);
  // not as an `example`, because clients that try an operation unchanged would send it
  const sample = first === undefined ? '' : `, as in \`${first[0]}:${sampleOf(first[1])}\``;
  return { ...text(name, `key:value,key:value${sample}; keys: ${described.join(', ')}`), keys };
};

const sortParameter = (sort: readonly string[] | 'anyProperty'): Parameter => {
  if (sort === 'anyProperty') {
    return text('sort', 'DR Key properties, and `searchProperties` of a data-store version; a leading - descends');
  }
  const keys = sort.map((key) => key.replaceAll('.', String.raw`\.`)).join('|');
  return {
    ...text('sort', `${sort.join(', ')}; a leading - descends`),
    keys: Object.fromEntries(sort.map((key) => [key, {}])),
    schema: { type: 'string', pattern: `^-?(${keys})(,-?(${keys}))*$` },
  };
};

/** The default of an argument as a keyword of the schema. */
const defaultOf = (defaults: Operation['defaults'], variable: string): JsonSchema =>
  defaults.has(variable) ? { default: defaults.get(variable) } : {};

const sizeBounds: JsonSchema = { minimum: 1, maximum: maxPageSize };

const pageParameters = (defaults: Operation['defaults']): readonly Parameter[] => [
  {
    name: 'page',
    in: 'query',
    required: false,
    description: 'From 0',
    schema: { type: 'integer', format: 'int32', minimum: 0, default: 0 },
  },
  {
    name: 'size',
    in: 'query',
    required: false,
    description: `Elements of a page, at most ${maxPageSize}`,
    schema: { type: 'integer', format: 'int32', ...sizeBounds, ...defaultOf(defaults, 'size') },
  },
];

const neededFilters = (needs: string | undefined): Partial<Parameter> =>
  needs === undefined ? {} : { example: needs };

const queryParameters = (
  { paged, filters, options, parameters, sort, search, needs }: QueryDeclaration,
  { variables: types, defaults }: Pick<Operation, 'variables' | 'defaults'>,
  registry: SchemaRegistry,
): Parameter[] => {
  const own = Object.entries(parameters ?? {}).map(([name, variable]): Parameter => {
    const schema = {
      ...valueSchema(types.get(variable) as GraphQLInputType, registry),
      ...(variable === 'size' ? sizeBounds : {}),
      ...defaultOf(defaults, variable),
    };
    // the values of a list are separated by commas
    const style = schema['type'] === 'array' ? { style: 'form', explode: false } : {};
    return { name, in: 'query', required: false, ...style, schema };
  });
  return [
    ...own,
    ...(paged === true ? pageParameters(defaults) : []),
    ...(filters === undefined
      ? []
      : [{ ...terms('filters', keysOf(filters, types, registry)), ...neededFilters(needs) }]),
    ...(options === undefined ? [] : [terms('options', keysOf(options, types, registry))]),
    ...(sort === undefined ? [] : [sortParameter(sort)]),
    ...(search === true ? [text('query', 'Search expression')] : []),
  ];
};

/** All parameters of a route. */
export const parametersOf = (
  route: GraphqlRoute,
  operation: Pick<Operation, 'variables' | 'defaults'>,
  registry: SchemaRegistry,
): readonly Parameter[] => [
  ...pathParameters(route.path),
  ...queryParameters(route.query ?? {}, operation, registry),
  ...(selectableOf(route) === 'fields'
    ? [text('fields', 'Property paths to keep, separated by commas, with dots')]
    : []),
];

import { maxPageSize } from '@fds/graphql';
import { getNullableType, type GraphQLInputType } from 'graphql';
import { placeholdersOf } from '../http/fill-path.js';
import { selectableOf, type GraphqlRoute, type QueryDeclaration } from '../route.js';
import { inputSchema, type JsonSchema, type SchemaRegistry } from './json-schema.js';

/** A parameter of an endpoint, as the OpenAPI document and GET `/endpoints` show it. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

const pathParameters = (path: string): Parameter[] =>
  placeholdersOf(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', ...(name.endsWith('Uuid') ? { format: 'uuid' } : {}) },
  }));

const text = (name: string, description: string): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema: { type: 'string' },
});

const keys = (names: Readonly<Record<string, string>>): string => Object.keys(names).join(', ');

const pageParameters: readonly Parameter[] = [
  { name: 'page', in: 'query', required: false, description: 'From 0', schema: { type: 'integer', minimum: 0 } },
  { name: 'size', in: 'query', required: false, schema: { type: 'integer', minimum: 1, maximum: maxPageSize } },
];

const queryParameters = (
  { paged, filters, options, parameters, sort, search }: QueryDeclaration,
  types: ReadonlyMap<string, GraphQLInputType>,
  registry: SchemaRegistry,
): Parameter[] => {
  const own = Object.entries(parameters ?? {}).map(([name, variable]): Parameter => {
    const type = getNullableType(types.get(variable) as GraphQLInputType);
    const { type: schemaType, ...rest } = inputSchema(type, registry);
    const single = Array.isArray(schemaType) ? schemaType[0] : schemaType;
    return { name, in: 'query', required: false, schema: { type: single, ...rest } };
  });
  return [
    ...own,
    ...(paged === true ? pageParameters : []),
    ...(filters === undefined ? [] : [text('filters', `key:value,key:value; keys: ${keys(filters)}`)]),
    ...(options === undefined ? [] : [text('options', `key:value,key:value; keys: ${keys(options)}`)]),
    ...(sort === undefined ? [] : [text('sort', sort === 'anyProperty' ? 'DR Key properties' : sort.join(', '))]),
    ...(search === true ? [text('query', 'Search expression')] : []),
  ];
};

/** Every parameter of a route. */
export const parametersOf = (
  route: GraphqlRoute,
  types: ReadonlyMap<string, GraphQLInputType>,
  registry: SchemaRegistry,
): readonly Parameter[] => [
  ...pathParameters(route.path),
  ...queryParameters(route.query ?? {}, types, registry),
  ...(selectableOf(route) === 'fields'
    ? [text('fields', 'Property paths to keep, separated by commas, with dots')]
    : []),
];

import {
  Kind,
  OperationTypeNode,
  parse,
  print,
  visit,
  type DefinitionNode,
  type GraphQLSchema,
  type ObjectTypeDefinitionNode,
} from 'graphql';
import type { RecordTypesSdl, SdlDecoration } from '@fds/record-types';
import { buildApiSchema } from './api-schema.js';
import type { ComposedSdl } from './composed-sdl.js';

/** The part of the static supergraph against which an operation is planned. */
type PlanningBase = 'EVERYTHING' | 'RECORD_TYPES_ONLY';

/** The supergraph that was composed at build time. */
export interface StaticSupergraph {
  readonly sdl: string;
  /** The part of the schema that clients see. Its scalars check values as the subgraphs do. */
  readonly apiSchema: GraphQLSchema;
  /** Adds record types to the parts of the base: everything, or only the types that records use. */
  withRecordTypes(base: PlanningBase, recordTypes: RecordTypesSdl): string;
}

/** Adds the record types to the records subgraph. */
export const recordsDecoration: SdlDecoration = {
  type: '@join__type(graph: RECORDS)',
  enumValue: '@join__enumValue(graph: RECORDS)',
  rootField: '@join__field(graph: RECORDS)',
};

/** Static types that record types use. */
const recordBuildingBlocks = ['Page', 'RecordMetadata'];

const isRoot = (node: DefinitionNode): node is ObjectTypeDefinitionNode =>
  node.kind === Kind.OBJECT_TYPE_DEFINITION && (node.name.value === 'Query' || node.name.value === 'Mutation');

/** The object types that can be reached from some types, including these. */
const reachableFrom = (names: readonly string[], definitions: readonly DefinitionNode[]): ReadonlySet<string> => {
  const byName = new Map(
    definitions.flatMap((node) =>
      node.kind === Kind.OBJECT_TYPE_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
  const reached = new Set<string>();
  const pending = [...names];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const node = byName.get(name);
    if (node === undefined || reached.has(name)) continue;
    reached.add(name);
    visit(node, { NamedType: (type) => void pending.push(type.name.value) });
  }
  return reached;
};

/** Does planning always need the definition? It needs scalars, and the directives of federation with their types. */
const isMachinery = (node: DefinitionNode): boolean => {
  if (node.kind === Kind.DIRECTIVE_DEFINITION || node.kind === Kind.SCALAR_TYPE_DEFINITION) return true;
  return 'name' in node && node.name?.value.includes('__') === true;
};

/** The SDL in pieces, so that fields can be added at the end of its root types. */
interface Frame {
  /** All other types. */
  readonly types: string;
  /** The type Query without its closing bracket. */
  readonly query: string;
  /** The type Mutation without its closing bracket; undefined when only records are read. */
  readonly mutation: string | undefined;
}

/** A root type, without its closing bracket. */
const openType = ({ name, directives = [], fields = [] }: ObjectTypeDefinitionNode): string =>
  `type ${name.value} ${directives.map(print).join(' ')} {\n${fields.map(print).join('\n')}\n`;

const keepRecordTypes = (definitions: readonly DefinitionNode[]): DefinitionNode[] => {
  const reached = reachableFrom(recordBuildingBlocks, definitions);
  return definitions.flatMap((node): DefinitionNode[] => {
    if (node.kind === Kind.SCHEMA_DEFINITION) {
      return [
        {
          ...node,
          operationTypes: node.operationTypes.filter(({ operation }) => operation === OperationTypeNode.QUERY),
        },
      ];
    }
    if (isMachinery(node)) return [node];
    return node.kind === Kind.OBJECT_TYPE_DEFINITION && reached.has(node.name.value) ? [node] : [];
  });
};

const frameOf = (sdl: string, base: PlanningBase): Frame => {
  const { definitions } = parse(sdl, { noLocation: true });
  const roots = definitions.filter(isRoot);
  const query = roots.find(({ name }) => name.value === 'Query');
  const mutation = roots.find(({ name }) => name.value === 'Mutation');
  if (query === undefined) throw new Error('the supergraph has no type Query');
  const others = definitions.filter((node) => !isRoot(node));
  return base === 'EVERYTHING'
    ? { types: others.map(print).join('\n'), query: openType(query), mutation: mutation && openType(mutation) }
    : {
        types: keepRecordTypes(others).map(print).join('\n'),
        query: openType({ ...query, fields: [] }),
        mutation: undefined,
      };
};

/** Prepares the composition. @throws Error when the SDL of the API is not valid */
export const createStaticSupergraph = ({ supergraph, api }: ComposedSdl): StaticSupergraph => {
  /** Created on first use, so that the service starts earlier. */
  const frames = new Map<PlanningBase, Frame>();
  return {
    sdl: supergraph,
    apiSchema: buildApiSchema(api),
    withRecordTypes: (base, { types, queryFields, mutationFields }) => {
      const frame = frames.get(base) ?? frameOf(supergraph, base);
      frames.set(base, frame);
      const mutation = frame.mutation === undefined ? '' : `${frame.mutation}${mutationFields}}\n`;
      return `${frame.types}\n${frame.query}${queryFields}}\n${mutation}${types}`;
    },
  };
};

import { Supergraph } from '@apollo/federation-internals';
import { scalars } from '@fds/graphql';
import {
  Kind,
  OperationTypeNode,
  isScalarType,
  parse,
  print,
  visit,
  type DefinitionNode,
  type GraphQLSchema,
  type ObjectTypeDefinitionNode,
} from 'graphql';
import type { RecordTypesSdl, SdlDecoration } from '@fds/record-types';

/** How much of the static supergraph an operation is planned against. */
type PlanningBase = 'EVERYTHING' | 'RECORD_TYPES_ONLY';

/** The supergraph composed ahead. */
export interface StaticSupergraph {
  readonly sdl: string;
  /** The part of the schema that clients see. Its scalars check values as the subgraphs do. */
  readonly apiSchema: GraphQLSchema;
  /** Puts record types into what the base keeps: everything, or only the types that records are made of. */
  withRecordTypes(base: PlanningBase, recordTypes: RecordTypesSdl): string;
}

/** Puts the record types into the records subgraph. */
export const recordsDecoration: SdlDecoration = {
  type: '@join__type(graph: RECORDS)',
  enumValue: '@join__enumValue(graph: RECORDS)',
  rootField: '@join__field(graph: RECORDS)',
};

/** Static types that record types are made of. */
const recordBuildingBlocks = ['Page', 'RecordMetadata'];

const toApiSchema = (sdl: string): GraphQLSchema => {
  const schema = Supergraph.build(sdl, { validateSupergraph: false }).apiSchema().toGraphQLJSSchema();
  for (const scalar of Object.values(scalars)) {
    const known = schema.getType(scalar.name);
    if (!isScalarType(known)) continue;
    // composition keeps only the name of a scalar
    known.parseValue = (value) => scalar.parseValue(value);
    known.parseLiteral = (node, variables) => scalar.parseLiteral(node, variables);
  }
  return schema;
};

const isRoot = (node: DefinitionNode): node is ObjectTypeDefinitionNode =>
  node.kind === Kind.OBJECT_TYPE_DEFINITION && (node.name.value === 'Query' || node.name.value === 'Mutation');

/** The object types that can be reached from some of them, these included. */
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

/** Definitions that planning always needs: scalars, and the directives of federation with their own types. */
const isMachinery = (node: DefinitionNode): boolean => {
  if (node.kind === Kind.DIRECTIVE_DEFINITION || node.kind === Kind.SCALAR_TYPE_DEFINITION) return true;
  return 'name' in node && node.name?.value.includes('__') === true;
};

/** The SDL, with room for fields at the end of its root types. */
interface Frame {
  /** All other types. */
  readonly types: string;
  /** Without its closing bracket. */
  readonly query: string;
  /** The same; undefined where only records are read. */
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

/** Prepares a composed supergraph. @throws Error when the text is none */
export const createStaticSupergraph = (sdl: string): StaticSupergraph => {
  const { definitions } = parse(sdl, { noLocation: true });
  const roots = definitions.filter(isRoot);
  const query = roots.find(({ name }) => name.value === 'Query');
  const mutation = roots.find(({ name }) => name.value === 'Mutation');
  if (query === undefined) throw new Error('the supergraph has no type Query');
  const others = definitions.filter((node) => !isRoot(node));
  const frames: Readonly<Record<PlanningBase, Frame>> = {
    EVERYTHING: {
      types: others.map(print).join('\n'),
      query: openType(query),
      mutation: mutation && openType(mutation),
    },
    RECORD_TYPES_ONLY: {
      types: keepRecordTypes(others).map(print).join('\n'),
      query: openType({ ...query, fields: [] }),
      mutation: undefined,
    },
  };
  return {
    sdl,
    apiSchema: toApiSchema(sdl),
    withRecordTypes: (base, { types, queryFields, mutationFields }) => {
      const frame = frames[base];
      const mutation = frame.mutation === undefined ? '' : `${frame.mutation}${mutationFields}}\n`;
      return `${frame.types}\n${frame.query}${queryFields}}\n${mutation}${types}`;
    },
  };
};

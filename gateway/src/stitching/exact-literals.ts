import {
  GraphQLError,
  Kind,
  TypeInfo,
  getNullableType,
  isListType,
  visit,
  visitWithTypeInfo,
  type ASTNode,
  type DocumentNode,
  type GraphQLSchema,
  type ValueNode,
} from 'graphql';

const isUnsafe = (node: ASTNode): boolean => node.kind === Kind.INT && !Number.isSafeInteger(Number(node.value));

const anyValue = (node: ValueNode, test: (value: ValueNode) => boolean): boolean => {
  if (test(node)) return true;
  if (node.kind === Kind.LIST) return node.values.some((value) => anyValue(value, test));
  return node.kind === Kind.OBJECT && node.fields.some(({ value }) => anyValue(value, test));
};

/** JSON text of a literal without variables. Its digits stay as written. */
const toJsonText = (node: ValueNode): string => {
  switch (node.kind) {
    case Kind.LIST:
      return `[${node.values.map(toJsonText).join(',')}]`;
    case Kind.OBJECT:
      return `{${node.fields.map(({ name, value }) => `${JSON.stringify(name.value)}:${toJsonText(value)}`).join(',')}}`;
    case Kind.STRING:
    case Kind.ENUM:
      return JSON.stringify(node.value);
    case Kind.INT:
    case Kind.FLOAT:
      return node.value;
    case Kind.BOOLEAN:
      return String(node.value);
    case Kind.VARIABLE:
      throw new TypeError('a variable has no JSON text');
    default:
      return 'null';
  }
};

/** Kinds of literals that a query planner changes or rounds if the type is a custom scalar. */
const nativeKinds: ReadonlySet<string> = new Set([
  Kind.INT,
  Kind.FLOAT,
  Kind.BOOLEAN,
  Kind.ENUM,
  Kind.LIST,
  Kind.OBJECT,
]);

const isNative = (node: ASTNode): node is ValueNode => nativeKinds.has(node.kind);

/** @throws GraphQLError when the planner would round an integer of the literal */
const toExactJson = (node: ValueNode): ValueNode => {
  if (!anyValue(node, ({ kind }) => kind === Kind.VARIABLE)) return { kind: Kind.STRING, value: toJsonText(node) };
  if (!anyValue(node, isUnsafe)) return node;
  throw new GraphQLError('a Json literal has an integer beyond 2^53 and a variable: send it as one variable', {
    nodes: node,
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });
};

/**
 * Rewrites literals so that the query planner, which reads them as JavaScript values, does not change them. An integer
 * beyond 2^53 becomes a string, which `Long` also accepts. A `Json` literal becomes JSON-encoded text. A literal with
 * variables stays unchanged, because the values of its variables are known only later.
 *
 * @throws GraphQLError with code GRAPHQL_VALIDATION_FAILED when a `Json` literal has both such an integer and a variable
 */
export const exactLiterals = (document: DocumentNode, schema: GraphQLSchema): DocumentNode => {
  const types = new TypeInfo(schema);
  return visit(
    document,
    visitWithTypeInfo(types, {
      enter: (node) => {
        if (!isNative(node)) return undefined;
        const type = getNullableType(types.getInputType());
        if (type === undefined || type === null || isListType(type) || !('name' in type)) return undefined;
        if (type.name === 'Long' && isUnsafe(node) && node.kind === Kind.INT) {
          return { kind: Kind.STRING, value: node.value };
        }
        if (type.name !== 'Json') return undefined;
        const exact = toExactJson(node);
        // values inside the literal have no type of their own and stay unchanged
        return exact === node ? false : exact;
      },
    }),
  );
};

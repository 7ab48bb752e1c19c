import {
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

/** JSON text of a literal without variables; digits as they are written. */
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

const isValueNode = (node: ASTNode): node is ValueNode =>
  node.kind === Kind.INT || node.kind === Kind.LIST || node.kind === Kind.OBJECT;

/**
 * Rewrites integer literals beyond 2^53 as strings, which `Long` and `Json` take as well: the query planner reads
 * literals as JavaScript numbers and would round them. A `Json` literal with both such an integer and a variable stays.
 */
export const exactLiterals = (document: DocumentNode, schema: GraphQLSchema): DocumentNode => {
  const types = new TypeInfo(schema);
  return visit(
    document,
    visitWithTypeInfo(types, {
      enter: (node) => {
        if (!isValueNode(node)) return undefined;
        const type = getNullableType(types.getInputType());
        if (type === undefined || type === null || isListType(type) || !('name' in type)) return undefined;
        if (type.name === 'Long' && isUnsafe(node) && node.kind === Kind.INT) {
          return { kind: Kind.STRING, value: node.value };
        }
        if (type.name === 'Json' && anyValue(node, isUnsafe) && !anyValue(node, ({ kind }) => kind === Kind.VARIABLE)) {
          return { kind: Kind.STRING, value: toJsonText(node) };
        }
        return undefined;
      },
    }),
  );
};

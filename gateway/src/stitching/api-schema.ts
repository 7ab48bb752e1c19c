import { scalars } from '@fds/graphql';
import { buildASTSchema, GraphQLError, isScalarType, parse, type GraphQLSchema, type ValueNode } from 'graphql';

/** Adds the place of a literal to its fault. */
const atLiteral = (node: ValueNode, read: () => unknown): unknown => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof GraphQLError) || error.nodes !== undefined) throw error;
    throw new GraphQLError(error.message, { nodes: node, extensions: error.extensions });
  }
};

/**
 * Builds the schema that clients see from its SDL. Its scalars check values as the subgraphs do. @throws Error when the
 * text is not valid SDL
 */
export const buildApiSchema = (sdl: string): GraphQLSchema => {
  // it was validated when it was generated
  const schema = buildASTSchema(parse(sdl, { noLocation: true }), { assumeValid: true, assumeValidSDL: true });
  for (const scalar of Object.values(scalars)) {
    const known = schema.getType(scalar.name);
    if (!isScalarType(known)) continue;
    // the SDL has only the name of a scalar
    known.parseValue = (value) => scalar.parseValue(value);
    known.parseLiteral = (node, variables) => atLiteral(node, () => scalar.parseLiteral(node, variables));
  }
  return schema;
};

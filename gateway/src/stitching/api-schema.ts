import { scalars } from '@fds/graphql';
import { buildASTSchema, isScalarType, parse, type GraphQLSchema } from 'graphql';

/** The schema that clients see, of its SDL. Its scalars check values as the subgraphs do. @throws Error when the text is no SDL */
export const buildApiSchema = (sdl: string): GraphQLSchema => {
  // the generator has validated it
  const schema = buildASTSchema(parse(sdl, { noLocation: true }), { assumeValid: true, assumeValidSDL: true });
  for (const scalar of Object.values(scalars)) {
    const known = schema.getType(scalar.name);
    if (!isScalarType(known)) continue;
    // SDL has only the name of a scalar
    known.parseValue = (value) => scalar.parseValue(value);
    known.parseLiteral = (node, variables) => scalar.parseLiteral(node, variables);
  }
  return schema;
};

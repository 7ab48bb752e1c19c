import { GraphQLFloat, GraphQLScalarType } from 'graphql';

/** A Float under another name: record types bring their own Float, and a schema has one. */
export const Score = new GraphQLScalarType<number, number>({
  ...GraphQLFloat.toConfig(),
  name: 'Score',
  description: 'How alike records are: a number from 0 to 1.',
});

import { parse, validate, type GraphQLSchema } from 'graphql';

/**
 * What does not fit the schema in the document of a route. Documents and schema are parts of the source, so a test asks, and
 * the service does not at each start.
 *
 * @returns a sentence for each fault; empty: the document fits
 */
export const findDocumentFaults = (document: string, schema: GraphQLSchema): string[] =>
  validate(schema, parse(document, { noLocation: true })).map(({ message }) => message);

import { parse, validate, type GraphQLSchema } from 'graphql';

/**
 * The faults of a route's document against the schema. Documents and schema are part of the source, so a test checks
 * them, and the service does not check them at each start.
 *
 * @returns a sentence for each fault; empty when the document fits
 */
export const findDocumentFaults = (document: string, schema: GraphQLSchema): string[] =>
  validate(schema, parse(document, { noLocation: true })).map(({ message }) => message);

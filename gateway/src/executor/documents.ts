import { AppError } from '@fds/errors';
import { GraphQLError, parse, type DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { measureDocument } from '../limits/measure-document.js';
import { requireFewDefinitions, requireWithinLimits, type OperationLimits } from '../limits/operation-limits.js';
import { requireShallow } from '../limits/require-shallow.js';
import { requireStorableLiterals } from '../limits/require-storable-text.js';

/** Documents by their text, parsed and measured once. */
export interface Documents {
  /**
   * A parsed document that is within the limits; whether it fits the schema is not known yet.
   *
   * @throws GraphQLError with code GRAPHQL_PARSE_FAILED. @throws AppError QUERY_TOO_COMPLEX
   */
  read(source: string): DocumentNode;
}

type Reading = { readonly document: DocumentNode } | { readonly refusal: Error };

/** Characters of text kept, good documents and bad ones; the least recently used go first. */
const maxKeptCharacters = 16_000_000;

/** Tokens of a document for each field it may have. */
const tokensPerField = 20;

const parseWithin = (source: string, maxTokens: number): DocumentNode => {
  try {
    requireShallow(source);
    return parse(source, { maxTokens });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    if (error.message.includes('tokens. Parsing aborted')) {
      throw new AppError('QUERY_TOO_COMPLEX', `the document has more than ${maxTokens} tokens`);
    }
    throw new GraphQLError(error.message, {
      ...(error.source === undefined ? {} : { source: error.source }),
      ...(error.positions === undefined ? {} : { positions: error.positions }),
      extensions: { code: 'GRAPHQL_PARSE_FAILED' },
    });
  }
};

export const createDocuments = (limits: OperationLimits): Documents => {
  const maxTokens = limits.maxFields * tokensPerField;
  const readings = new LRUCache<string, Reading>({
    maxSize: maxKeptCharacters,
    sizeCalculation: (_reading, source) => source.length + 1,
  });

  const readNew = (source: string): Reading => {
    try {
      const document = parseWithin(source, maxTokens);
      requireFewDefinitions(document, limits);
      requireWithinLimits(measureDocument(document), limits);
      requireStorableLiterals(document);
      return { document };
    } catch (error) {
      if (error instanceof Error) return { refusal: error };
      throw error;
    }
  };

  return {
    read: (source) => {
      let reading = readings.get(source);
      if (reading === undefined) readings.set(source, (reading = readNew(source)));
      if ('refusal' in reading) throw reading.refusal;
      return reading.document;
    },
  };
};

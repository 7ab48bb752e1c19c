import type { DocumentNode } from 'graphql';

/**
 * Heap that cached documents retain, estimated from their text and their nodes. It is measured on Node.js 20 with
 * documents of 13 to 2000 nodes. A test compares the estimate with the heap. A node takes about 200 bytes with its
 * location and tokens, and 120 without them. A plan has separate nodes.
 */
const nodeBytes = 120;
const locatedNodeBytes = 200;
/** Entries of caches, closures, and the common part of all documents. */
const fixedBytes = 4_000;
/** A text, which is also stored as a key. */
const bytesPerCharacter = 2;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The tokens that the locations of a document keep alive, including those of removed selections. */
const countTokens = ({ loc }: DocumentNode): number => {
  let tokens = 0;
  for (let token = loc?.startToken ?? null; token !== null; token = token.next) tokens += 1;
  return tokens;
};

/** The number of nodes of a document, or of its tokens when there are more: then selections were removed. */
const countNodes = (document: DocumentNode): number => {
  let nodes = 0;
  const pending: object[] = [document];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    // locations are not nodes, and they lead to the tokens
    if (!Array.isArray(value) && !('kind' in value && typeof value.kind === 'string' && !('line' in value))) continue;
    if (!Array.isArray(value)) nodes += 1;
    for (const member of Object.values(value) as unknown[]) if (isObject(member)) pending.push(member);
  }
  return Math.max(nodes, countTokens(document));
};

/** The weight of a parsed document with locations. */
export const documentBytes = (source: string, document: DocumentNode): number =>
  fixedBytes + bytesPerCharacter * source.length + locatedNodeBytes * countNodes(document);

/** The weight of an operation with its plan. */
export const operationBytes = (source: string, document: DocumentNode): number =>
  fixedBytes + bytesPerCharacter * source.length + nodeBytes * countNodes(document);

/** The weight of a fetch that a subgraph has parsed, without locations. */
export const fetchBytes = (source: string, document: DocumentNode): number => operationBytes(source, document);

/** The weight of a supergraph and its planner, estimated from the length of the SDL. */
export const supergraphBytes = (sdl: string): number => 90 * sdl.length;

/** Default for all caches of a process together. */
export const defaultCacheBytes = 64 * 2 ** 20;

/** The share of each cache in the bytes that all caches of a process may use. They add up to one. */
export const cacheShares = {
  documents: 1 / 8,
  operations: 1 / 8,
  supergraphs: 1 / 4,
  /** Record types of the gateway; the records subgraph gets the same share. */
  schemas: 1 / 8,
  /** For each of the five subgraphs. */
  fetches: 1 / 20,
} as const;

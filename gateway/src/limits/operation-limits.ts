import { AppError } from '@fds/errors';
import type { DocumentNode } from 'graphql';
import type { DocumentSize } from './measure-document.js';

/** How much an operation may ask for; what is over a limit is refused before it runs. */
export interface OperationLimits {
  /** Levels of fields. The standard introspection query has 15. */
  readonly maxDepth: number;
  /** Fields, fragments expanded. */
  readonly maxFields: number;
  /** Aliases, fragments expanded. */
  readonly maxAliases: number;
  /** Fields, each multiplied by the page sizes above it. */
  readonly maxCost: number;
}

export const defaultLimits: OperationLimits = { maxDepth: 15, maxFields: 1000, maxAliases: 50, maxCost: 100_000 };

const tooComplex = (what: string, found: number, allowed: number): AppError =>
  new AppError('QUERY_TOO_COMPLEX', `the operation has ${what} ${found}, allowed is ${allowed}`);

/** @throws AppError QUERY_TOO_COMPLEX */
export const requireWithinLimits = (size: DocumentSize, limits: OperationLimits): void => {
  if (size.depth > limits.maxDepth) throw tooComplex('depth', size.depth, limits.maxDepth);
  if (size.fields > limits.maxFields) throw tooComplex('fields', size.fields, limits.maxFields);
  if (size.aliases > limits.maxAliases) throw tooComplex('aliases', size.aliases, limits.maxAliases);
};

/**
 * Each operation and fragment has a field at least, so that more of them than fields say nothing.
 *
 * @throws AppError QUERY_TOO_COMPLEX
 */
export const requireFewDefinitions = ({ definitions }: DocumentNode, { maxFields }: OperationLimits): void => {
  if (definitions.length > maxFields) throw tooComplex('definitions', definitions.length, maxFields);
};

/** @throws AppError QUERY_TOO_COMPLEX */
export const requireAffordable = (cost: number, { maxCost }: OperationLimits): void => {
  if (cost > maxCost) throw tooComplex('cost', cost, maxCost);
};

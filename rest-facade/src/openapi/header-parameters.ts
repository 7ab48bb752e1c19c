import { resourceShape } from '../operation/compile-endpoint.js';
import { tagKindOf } from '../operation/compile-tag.js';
import { compileVersionInput } from '../operation/compile-version-input.js';
import type { Operation } from '../operation/read-operation.js';
import type { GraphqlRoute } from '../route.js';
import type { Parameter } from './parameters.js';

const header = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});

const ifNoneMatch = header('If-None-Match', 'Entity tags that the caller has: 304 when one of them still matches');
const ifMatch = header('If-Match', 'Entity tag in place of changeVersion: 412 when it is stale; * for any version');
const idempotencyKey = header(
  'Idempotency-Key',
  'A request with the same key and body within 24 hours gets the same answer and has no second effect',
);

/** Headers that have an effect on a route. */
export const headerParametersOf = (route: GraphqlRoute, operation: Operation): readonly Parameter[] => {
  const tagged = tagKindOf(route, resourceShape(route, operation)) !== 'none';
  if (route.method === 'GET') return tagged ? [ifNoneMatch] : [];
  if (route.method === 'POST') return operation.kind === 'mutation' ? [idempotencyKey] : [];
  return compileVersionInput(route, operation) === undefined ? [] : [ifMatch];
};

import type { RequestContext } from '@fds/graphql';
import type { ResultReader } from '../../operation/compile-endpoint.js';

/**
 * Reads the record that `dataRecord` answers, where the answer needs no other record. Undefined: the document is run, and its
 * answer says why.
 */
export type ReadRecord = (drUuid: string, context: RequestContext) => Promise<object | undefined>;

/** Reads for the route `getDataRecord`. A request with options or filters runs the document. */
export const readLoneRecord =
  (readRecord: ReadRecord): ResultReader =>
  async ({ drUuid, ...others }, context) =>
    Object.keys(others).length === 0 ? readRecord(drUuid as string, context) : undefined;

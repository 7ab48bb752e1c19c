import type { RequestContext } from '@fds/graphql';
import {
  getDataRecord,
  type DataRecordArguments,
  type RecordsAccess,
} from '../../reading/listing/resolvers/list-data-records.js';
import { perRequest } from '../../base/per-request.js';

type Read = ReturnType<typeof getDataRecord>;

/** Reads one record for a request, as `getDataRecord` does. */
export type RecordReads = (args: DataRecordArguments, context: RequestContext) => Read;

/**
 * Reads a record at most once for each request. A request that asks for it again gets the same outcome, also if that is an
 * error: a database that fails or is slow is not asked twice.
 */
export const createRecordReads = (access: RecordsAccess): RecordReads => {
  const known = perRequest(() => new Map<string, Read>());
  return (args, context) => {
    const { drUuid, adaptorUuid, options } = args;
    const isWhole = (adaptorUuid ?? null) === null && (options ?? []).length === 0;
    if (!isWhole) return getDataRecord(access, args, context.principal);
    const reads = known(context);
    const before = reads.get(drUuid);
    if (before !== undefined) return before;
    const read = getDataRecord(access, args, context.principal);
    reads.set(drUuid, read);
    return read;
  };
};

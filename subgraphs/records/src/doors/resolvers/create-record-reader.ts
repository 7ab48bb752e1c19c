import { requirePermission, Uuid, type RequestContext } from '@fds/graphql';
import type { DomainType } from '@fds/record-types';
import type { RecordsAccess } from '../../reading/listing/resolvers/list-data-records.js';
import type { RecordReads } from './create-record-reads.js';
import { domainTypeOf, toReferring } from './data-record-resolvers.js';

/** The fields of `DataRecord` as the field `dataRecord` answers them. */
interface LoneRecord {
  readonly uuid: string;
  readonly domainType: DomainType;
  readonly adaptorUuid: string | null;
  readonly domainVersionUuid: string;
  readonly dateCreated: string;
  readonly createdByUuid: string | null;
  /** JSON-encoded. */
  readonly json: string | null;
  /** JSON-encoded. */
  readonly drKey: string;
  readonly changeVersion: number;
}

/**
 * Reads a record whose answer needs no other record. Undefined: its data has references, or it cannot be read. The caller
 * then asks the field `dataRecord` with the same context. The field answers with the error and does not read the record again.
 */
export type RecordReader = (drUuid: string, context: RequestContext) => Promise<LoneRecord | undefined>;

/** A reader that checks and hides what the field `dataRecord` does, by the same functions. */
export const createRecordReader =
  (access: Pick<RecordsAccess, 'view'>, reads: RecordReads): RecordReader =>
  async (given, context) => {
    try {
      // the document coerces its variable: the spelling of a UUID must not matter to permissions
      const drUuid = Uuid.parseValue(given);
      requirePermission(context.principal, 'GET', `/drs/${drUuid}`);
      const record = await reads({ drUuid }, context);
      if (toReferring(access.view(), record) !== undefined) return undefined;
      const { uuid, adaptorUuid, domainVersionUuid, createdByUuid, changeVersion } = record;
      return {
        uuid,
        domainType: domainTypeOf(record),
        adaptorUuid,
        domainVersionUuid,
        dateCreated: record.dateCreated.toISOString(),
        createdByUuid,
        json: record.json === null ? null : record.json.text,
        drKey: record.drKey.text,
        changeVersion,
      };
    } catch {
      return undefined;
    }
  };

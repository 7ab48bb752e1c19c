import type { Assembler, AssemblyRequest } from '@fds/assembly-contract';
import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import { StoredRow, type AssemblyOptions, type KeyedRecord, type RecordRow } from './record-row.js';

/** The version whose records are assembled. */
export interface AssembledVersion {
  readonly domainName: string;
  readonly versionNumber: number;
  readonly domainType: 'FEDERATED' | 'SERVICE_DATA_STORE';
}

const toRequest = (
  { domainName, versionNumber }: AssembledVersion,
  records: readonly KeyedRecord[],
  { zoneUuid, additional }: AssemblyOptions,
): AssemblyRequest => ({
  ...additional,
  // the query selects the references that are followed
  expandRefs: false,
  ...(zoneUuid === undefined ? {} : { zoneUuid }),
  domain: domainName,
  versionNumber,
  drUuids: records.map(({ uuid }) => uuid),
  page: 0,
  size: records.length,
});

/** The assembler's causes by the arguments of the field: `/timeout` was written in `additionalParameters`. */
const toArguments = (error: unknown, { additional }: AssemblyOptions): unknown => {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_FAILED') return error;
  const errors = error.errors.map((cause) => {
    const [, member = ''] = cause.pointer.split('/');
    const place = Object.hasOwn(additional, member) ? `additionalParameters${cause.pointer}` : member;
    return { ...cause, pointer: place };
  });
  return new AppError('INVALID_PARAMETER', error.message, { errors, details: error.details, cause: error });
};

/**
 * Gives records their data: data-store records have it, those of a federated version are assembled, all in one request.
 * A record that the assembler does not answer has no data and the status UNAVAILABLE.
 */
export const assembleRows = async (
  assembler: Assembler,
  version: AssembledVersion,
  records: readonly KeyedRecord[],
  options: AssemblyOptions,
  context: RequestContext,
): Promise<RecordRow[]> => {
  if (version.domainType === 'SERVICE_DATA_STORE') return records.map((record) => new StoredRow(record, options));
  if (records.length === 0) return [];
  const { principal, signal } = context;
  const request = toRequest(version, records, options);
  const response = await assembler.assemble(request, principal, signal).catch((error: unknown) => {
    throw toArguments(error, options);
  });
  const assembled = new Map(response.assembledDataRecords.map((record) => [record.uuid, record]));
  return records.map(({ uuid, dateCreated, drKey, visible }) => {
    const { data, status } = assembled.get(uuid) ?? { data: {}, status: 'UNAVAILABLE' };
    return { uuid, dateCreated, drKey, data, status, options, visible };
  });
};

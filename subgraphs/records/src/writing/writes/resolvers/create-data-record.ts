import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import { isJsonObject, type JsonObject, type JsonValue } from '@fds/json';
import { findDefaultVersion } from '../../../catalog-view/store/find-default-version.js';
import type { CatalogView } from '../../../catalog-view/open-catalog-view.js';
import type { DomainVersionView } from '../../../domain/catalog.js';
import { commitWrites } from '../commit-writes.js';
import { getWrittenRecord } from '../../../reading/listing/resolvers/list-data-records.js';
import { requireWritten, type RecordsWriting } from './require-written.js';
import { unknownVersion } from '../../../catalog-view/unknown-version.js';

export interface DataRecordInput {
  readonly name?: string | null;
  readonly domainUuid?: string | null;
  readonly domainVersionUuid?: string | null;
  readonly version?: number | bigint | null;
  readonly json: JsonValue;
}

const findNamedVersion = (view: CatalogView, input: DataRecordInput): Promise<DomainVersionView | undefined> => {
  const { name, domainUuid, domainVersionUuid } = input;
  const number = Number(input.version ?? 0);
  if (typeof domainVersionUuid === 'string') return view.findVersionByUuid(domainVersionUuid);
  if (typeof domainUuid === 'string') return view.findVersionOfDomain(domainUuid, number);
  if (typeof name === 'string') return view.findVersion(name, number);
  throw new AppError('VALIDATION_FAILED', 'the domain must be named', {
    errors: [{ pointer: '/name', code: 'REQUIRED', detail: 'give name, domainUuid or domainVersionUuid' }],
  });
};

/**
 * The version that the input is about. The default version is read from the database, not from the view: a record must
 * not miss a change.
 */
const findVersion = async (
  { database, view }: RecordsWriting,
  input: DataRecordInput,
): Promise<DomainVersionView | undefined> => {
  const version = await findNamedVersion(view(), input);
  const asksDefault = typeof input.domainVersionUuid !== 'string' && Number(input.version ?? 0) === 0;
  if (version === undefined || !asksDefault) return version;
  const standard = await findDefaultVersion(database.pool, version.domainUuid);
  return standard === undefined || standard === version.uuid ? version : view().findVersionByUuid(standard);
};

/** A uuid in the input is a reference, with a pointer; a name is what the request is about. */
const namesNothing = ({ name, version, domainUuid, domainVersionUuid }: DataRecordInput): AppError => {
  const member = [['/domainVersionUuid', domainVersionUuid] as const, ['/domainUuid', domainUuid] as const].find(
    ([, uuid]) => typeof uuid === 'string',
  );
  if (member === undefined) return unknownVersion(name ?? '', version);
  const [pointer, uuid] = member;
  return new AppError('UNKNOWN_REFERENCE', 'the input names a resource that does not exist', {
    errors: [{ pointer, code: 'UNKNOWN_REFERENCE', detail: `there is no such domain version: ${uuid}` }],
  });
};

/** A member that names another domain or version than the one that was found would be passed over in silence. */
const requireConsistent = (input: DataRecordInput, found: DomainVersionView): void => {
  const { name, domainUuid, version } = input;
  const number = BigInt(version ?? 0);
  const contradicts = [
    ['/name', typeof name === 'string' && name.toLowerCase() !== found.domainName.toLowerCase()],
    ['/domainUuid', typeof domainUuid === 'string' && domainUuid !== found.domainUuid],
    ['/version', number !== 0n && number !== BigInt(found.versionNumber)],
  ] as const;
  const errors = contradicts.flatMap(([pointer, isOther]) =>
    isOther
      ? [{ pointer, code: 'CONTRADICTION', detail: `${pointer.slice(1)} names another than the input's uuid` }]
      : [],
  );
  if (errors.length > 0) throw new AppError('VALIDATION_FAILED', 'the input contradicts itself', { errors });
};

/**
 * Adds a record of a version.
 *
 * @param record `at` is the pointer of `json` in the input
 * @throws AppError VALIDATION_FAILED, DOMAIN_INACTIVE, UNKNOWN_REFERENCE, DUPLICATE_DR_KEY (with the `uuid` that has the key)
 */
export const addDataRecord = async (
  access: RecordsWriting,
  { version, json, at }: { readonly version: DomainVersionView; readonly json: JsonObject; readonly at: string },
  context: RequestContext,
) => {
  const write = { kind: 'CREATE', domainVersionUuid: version.uuid, json } as const;
  const [result] = await commitWrites({ ...access, view: access.view() }, [write], {
    writerUuid: context.principal.uuid,
    requestId: context.requestId,
    dataAccess: context.principal.dataAccess,
    extent: context.purpose === 'check' ? 'DECIDE' : 'WRITE',
  });
  const { recordUuid } = requireWritten(result, at, context);
  return getWrittenRecord(access, recordUuid, context.principal);
};

/**
 * Adds a record.
 *
 * @throws AppError VALIDATION_FAILED, NOT_FOUND, UNKNOWN_REFERENCE, DOMAIN_INACTIVE, DUPLICATE_DR_KEY (with the `uuid` that
 * has the key)
 */
export const createDataRecord = async (access: RecordsWriting, input: DataRecordInput, context: RequestContext) => {
  if (!isJsonObject(input.json)) {
    throw new AppError('VALIDATION_FAILED', 'the record is not valid', {
      errors: [{ pointer: '/json', code: 'INVALID_TYPE', detail: 'must be an object' }],
    });
  }
  const version = await findVersion(access, input);
  if (version === undefined) throw namesNothing(input);
  requireConsistent(input, version);
  return addDataRecord(access, { version, json: input.json, at: '/json' }, context);
};

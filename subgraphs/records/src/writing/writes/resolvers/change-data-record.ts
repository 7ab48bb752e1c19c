import type { Principal } from '@fds/auth';
import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import { isJsonObject, type JsonValue } from '@fds/json';
import { commitWrites } from '../commit-writes.js';
import { findVersionsOfRecords } from '../../../catalog-view/store/find-versions-of-records.js';
import { getDataRecord, getWrittenRecord } from '../../../reading/listing/resolvers/list-data-records.js';
import { requireWritten, type RecordsWriting } from './require-written.js';

export interface PatchArguments {
  readonly drUuid: string;
  readonly patch: JsonValue;
  readonly changeVersion?: number | bigint | null;
}

const startingFrom = (changeVersion: number | bigint | null | undefined): { readonly changeVersion?: bigint } =>
  changeVersion === null || changeVersion === undefined ? {} : { changeVersion: BigInt(changeVersion) };

/**
 * A hidden record gives the same answer as a missing one, also if the request has other faults. @throws AppError
 * NOT_FOUND
 */
const requireKnown = async (access: RecordsWriting, drUuid: string, { principal }: RequestContext): Promise<void> => {
  if (principal.dataAccess !== undefined) await getDataRecord(access, { drUuid }, principal);
};

/**
 * Merges a patch into a data-store record.
 *
 * @throws AppError NOT_FOUND, STALE_CHANGE_VERSION, FEDERATED_RECORD, DOMAIN_INACTIVE, VALIDATION_FAILED, UNKNOWN_REFERENCE, DUPLICATE_DR_KEY;
 * pointers count from the top of the patch
 */
export const patchDataRecord = async (
  access: RecordsWriting,
  { drUuid, patch, changeVersion }: PatchArguments,
  context: RequestContext,
) => {
  if (!isJsonObject(patch)) {
    throw new AppError('VALIDATION_FAILED', 'the patch is not valid', {
      errors: [{ pointer: '', code: 'INVALID_TYPE', detail: 'a merge patch of a record is an object' }],
    });
  }
  await requireKnown(access, drUuid, context);
  const write = { kind: 'PATCH', recordUuid: drUuid, patch, ...startingFrom(changeVersion) } as const;
  const [result] = await commitWrites({ ...access, view: access.view() }, [write], {
    writerUuid: context.principal.uuid,
    requestId: context.requestId,
    dataAccess: context.principal.dataAccess,
    extent: context.purpose === 'check' ? 'DECIDE' : 'WRITE',
  });
  requireWritten(result, '', context);
  return getWrittenRecord(access, drUuid, context.principal);
};

const refuseZone = (code: string, detail: string): never => {
  throw new AppError('INVALID_PARAMETER', detail, { errors: [{ pointer: 'zoneUuid', code, detail }] });
};

/**
 * The zone that a caller acts for: the one named, otherwise the only one. Zones to which a stranger added the caller count only when
 * they are named: adding a person does not change the meaning of the person's requests (docs/reference/access.md#users).
 *
 * @throws AppError INVALID_PARAMETER where it is not clear, FORBIDDEN where the caller is not in it
 */
const requireActingZone = ({ zones }: Principal, zoneUuid: string | null | undefined): string => {
  const [only, ...others] = zones.filter((zone) => zone.default || zone.knowsPerson);
  if (zoneUuid !== null && zoneUuid !== undefined) {
    if (zones.some((zone) => zone.zoneUuid === zoneUuid)) return zoneUuid;
    throw new AppError('FORBIDDEN', 'you are in no such zone');
  }
  if (only === undefined) throw new AppError('FORBIDDEN', 'you are in no zone to act for');
  return others.length === 0 ? only.zoneUuid : refuseZone('REQUIRED', 'you are in several zones: name one');
};

export interface DeletionArguments {
  readonly drUuid: string;
  readonly adaptorUuids?: readonly (string | null)[] | null;
  readonly zoneUuid?: string | null;
  readonly changeVersion?: number | bigint | null;
}

/**
 * Deletes a record: a data-store record at once, a federated one at its sources.
 *
 * @throws AppError NOT_FOUND, STALE_CHANGE_VERSION, IN_USE, GOVERNANCE_DENIED, INVALID_PARAMETER, FORBIDDEN
 */
export const deleteDataRecord = async (
  access: RecordsWriting,
  { drUuid, adaptorUuids, zoneUuid, changeVersion }: DeletionArguments,
  context: RequestContext,
) => {
  await requireKnown(access, drUuid, context);
  const view = access.view();
  const versionUuid = (await findVersionsOfRecords(access.database.pool, [drUuid])).get(drUuid);
  const version = versionUuid === undefined ? undefined : await view.findVersionByUuid(versionUuid);
  if (version === undefined) throw new AppError('NOT_FOUND', 'there is no such data record');
  const isFederated = version.domainType === 'FEDERATED';
  const named = adaptorUuids?.flatMap((uuid) => uuid ?? []);
  const federated = isFederated
    ? {
        federated: {
          zoneUuid: requireActingZone(context.principal, zoneUuid),
          ...(named === undefined ? {} : { adaptorUuids: named }),
        },
      }
    : {};
  const write = { kind: 'DELETE', recordUuid: drUuid, ...startingFrom(changeVersion), ...federated } as const;
  const [result] = await commitWrites({ ...access, view }, [write], {
    writerUuid: context.principal.uuid,
    requestId: context.requestId,
    dataAccess: context.principal.dataAccess,
  });
  const written = requireWritten(result, '', context);
  if (written.outcome !== 'DELETED') throw new TypeError('a deletion has another outcome');
  return {
    drUuid,
    transactionUuid: written.transactionUuid,
    adaptors: isFederated ? written.adaptors : null,
  };
};

import { AppError } from '@fds/errors';
import type { CatalogView } from '../catalog-view/open-catalog-view.js';
import type { DomainVersionView } from '../domain/catalog.js';
import { readNewRecord, type ReadRecord } from '../domain/writes/read-new-record.js';
import type { RecordDeletion, RecordPatch, RecordWrite, WholeRecordWrite } from '../domain/writes/record-write.js';
import type { Queryable } from '../store/channel.js';
import { findVersionsOfRecords } from '../store/find-versions-of-records.js';

/** A write that may be decided on: its version is known, and what it brings fits the model. */
export type PreparedWrite =
  | {
      readonly kind: WholeRecordWrite['kind'];
      readonly version: DomainVersionView;
      readonly read: ReadRecord;
    }
  | (RecordPatch & { readonly version: DomainVersionView })
  | (RecordDeletion & { readonly version: DomainVersionView });

/** A write that is ready, or why it never will be. */
export type PreparedOutcome = PreparedWrite | AppError;

const inactive = ({ domainName, versionNumber }: DomainVersionView): AppError =>
  new AppError('DOMAIN_INACTIVE', `${domainName}:v${versionNumber} is not active`);

const prepare = (write: RecordWrite, version: DomainVersionView | undefined): PreparedOutcome => {
  if ('json' in write) {
    if (version === undefined) return new AppError('NOT_FOUND', 'there is no such domain version');
    if (!version.active) return inactive(version);
    const read = readNewRecord(version, write.json);
    return read instanceof AppError ? read : { kind: write.kind, version, read };
  }
  if (version === undefined) return new AppError('NOT_FOUND', 'there is no such data record');
  if (write.kind === 'PATCH' && !version.active) return inactive(version);
  return { ...write, version };
};

/** Finds the versions that writes are about, and holds new records against their models. Writes nothing. */
export const prepareWrites = async (
  client: Queryable,
  view: CatalogView,
  writes: readonly RecordWrite[],
): Promise<PreparedOutcome[]> => {
  const recordUuids = writes.flatMap((write) => ('recordUuid' in write ? [write.recordUuid] : []));
  const versionsOf = await findVersionsOfRecords(client, recordUuids);
  const named = (write: RecordWrite): string | undefined =>
    'json' in write ? write.domainVersionUuid : versionsOf.get(write.recordUuid);
  const versions = new Map<string, DomainVersionView | undefined>();
  for (const uuid of new Set(writes.flatMap((write) => named(write) ?? []))) {
    versions.set(uuid, await view.findVersionByUuid(uuid));
  }
  return writes.map((write) => prepare(write, versions.get(named(write) ?? '')));
};

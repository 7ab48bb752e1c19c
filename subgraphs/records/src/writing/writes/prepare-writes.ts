import type { Queryable } from '@fds/database';
import { AppError } from '@fds/errors';
import { inTurns } from '@fds/service';
import { findReferencedVersions } from '../../catalog-view/find-referenced-versions.js';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { DomainVersionView } from '../../domain/catalog.js';
import { readNewRecord, type ListedCauses, type ReadRecord } from './domain/read-new-record.js';
import type { RecordDeletion, RecordPatch, RecordWrite, WholeRecordWrite } from './domain/record-write.js';
import { findVersionsOfRecords } from '../../catalog-view/store/find-versions-of-records.js';

/** A write that may be decided on: its version is known, and its content fits the model. */
export type PreparedWrite =
  | {
      readonly kind: WholeRecordWrite['kind'];
      readonly version: DomainVersionView;
      readonly read: ReadRecord;
    }
  | (RecordPatch & { readonly version: DomainVersionView })
  | (RecordDeletion & { readonly version: DomainVersionView });

/** Why a write will never be ready, as the catalog was known. */
interface RefusedWrite {
  readonly refusal: AppError;
  /** The version that it was validated against. */
  readonly version?: DomainVersionView;
}

/** A write that is ready, or why it never will be. */
export type PreparedOutcome = PreparedWrite | RefusedWrite;

const inactive = (version: DomainVersionView): RefusedWrite => ({
  refusal: new AppError('DOMAIN_INACTIVE', `${version.domainName}:v${version.versionNumber} is not active`),
  version,
});

const prepare = (write: RecordWrite, version: DomainVersionView | undefined, listed: ListedCauses): PreparedOutcome => {
  if (version === undefined) {
    const what = 'json' in write ? 'domain version' : 'data record';
    return { refusal: new AppError('NOT_FOUND', `there is no such ${what}`) };
  }
  if (write.kind === 'DELETE') return { ...write, version };
  if (!version.active) return inactive(version);
  if (write.kind === 'PATCH') return { ...write, version };
  const read = readNewRecord(version, write.json, listed);
  return read instanceof AppError ? { refusal: read, version } : { kind: write.kind, version, read };
};

/**
 * Finds the versions that writes are about, and validates new records against their models. Writes nothing. Other work of the process runs
 * in between.
 */
export const prepareWrites = async (
  client: Queryable,
  view: CatalogView,
  writes: readonly RecordWrite[],
  listed: ListedCauses = 'ALL',
): Promise<PreparedOutcome[]> => {
  const recordUuids = writes.flatMap((write) => ('recordUuid' in write ? [write.recordUuid] : []));
  const versionsOf = await findVersionsOfRecords(client, recordUuids);
  const named = (write: RecordWrite): string | undefined =>
    'json' in write ? write.domainVersionUuid : versionsOf.get(write.recordUuid);
  const versions = new Map<string, DomainVersionView | undefined>();
  for (const uuid of new Set(writes.flatMap((write) => named(write) ?? []))) {
    const version = await view.findVersionByUuid(uuid);
    versions.set(uuid, version);
    if (version !== undefined) await findReferencedVersions(view, version.model);
  }
  const prepareAll = function* (): Generator<void, PreparedOutcome[]> {
    const prepared: PreparedOutcome[] = [];
    for (const write of writes) {
      prepared.push(prepare(write, versions.get(named(write) ?? ''), listed));
      yield;
    }
    return prepared;
  };
  return inTurns(prepareAll());
};

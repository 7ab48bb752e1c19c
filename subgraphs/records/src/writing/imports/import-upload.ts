import type { DataAccess } from '@fds/access-rules';
import type { Database } from '@fds/database';
import { AppError } from '@fds/errors';
import type { DomainVersionView } from '../../domain/catalog.js';
import type { StoredUpload } from './store/uploads.js';
import { referenceTreeOf } from '@fds/model-schema';
import { ParkedReleases } from '../../issues/parked/parked-releases.js';
import type { ReleasedEvents } from '../../store/issues/released-events.js';
import { commitWrites, type WriteDependencies } from '../writes/commit-writes.js';
import { prepareWrites, type PreparedOutcome } from '../writes/prepare-writes.js';
import { FreeKeys } from './free-keys.js';
import { importRows, type RowWriting } from './import-rows.js';
import { ImportTally, maxFaults, type ImportCounts, type ImportFault } from './import-tally.js';
import { openEnclosingTransaction } from './enclosing-transaction.js';
import { readUpload, type ImportFormat } from './read-upload.js';
import { BrokenFile } from './rows/broken-file.js';
import { writeWithoutRefused } from './write-without-refused.js';
import type { WholeRecordWrite } from '../writes/domain/record-write.js';

export interface ImportOrder {
  readonly upload: StoredUpload;
  readonly version: DomainVersionView;
  readonly format: ImportFormat;
  /** CREATE refuses a key that is taken, by a row before too; UPSERT replaces the record, the last row of a key wins. */
  readonly mode: 'CREATE' | 'UPSERT';
  /** ALL: one wrong row, and nothing is saved. */
  readonly atomicity: 'EACH' | 'ALL';
  readonly writerUuid: string;
  /** The `X-Request-Id` of the request. */
  readonly requestId: string;
  /** The data access rules of the writer. Default: everything. */
  readonly dataAccess?: DataAccess | undefined;
}

export interface ImportDependencies extends WriteDependencies {
  readonly maxRowBytes: number;
}

/** The result of an import. */
export interface ImportReport {
  readonly counts: ImportCounts;
  /** The first 1000. */
  readonly faults: readonly ImportFault[];
}

const nothingSaved = ({ total, failed }: ImportCounts): ImportCounts => ({
  total,
  created: 0,
  updated: 0,
  unchanged: 0,
  failed,
});

const brokenOff = ({ message, options }: BrokenFile, { counts, faults }: ImportReport): AppError => {
  const { code, row, position, errors } = options;
  const own = errors ?? [{ pointer: '', code, detail: message }];
  const place = { ...(row === undefined ? {} : { row }), ...(position === undefined ? {} : { position }) };
  return new AppError(code, message, {
    errors: [...faults, ...own.map((cause) => ({ ...cause, row: row ?? 0 }))],
    details: { ...counts, ...place },
  });
};

const wrongRows = ({ counts, faults }: ImportReport): AppError => {
  const rows = counts.failed === 1 ? '1 row is' : `${counts.failed} rows are`;
  return new AppError('VALIDATION_FAILED', `${rows} wrong, nothing was saved`, {
    errors: faults,
    details: { ...counts },
  });
};

/** So many batches of an import are written at once where none can depend on another. */
const width = 2;

interface PreparedItem {
  readonly write: WholeRecordWrite;
  readonly ahead: PreparedOutcome;
}

/** 6700 rows of 250 bytes fill it. A file without repeated keys is written while it is read. */
const windowBytes = 8 * 2 ** 20;
const windowBytesOnceRepeated = 16 * 2 ** 20;

const hasReferences = ({ version }: ImportOrder): boolean => referenceTreeOf(version.model).size > 0;

/** Rows may refer to rows before, and a transaction is one connection. */
const widthOf = (order: ImportOrder): number => (order.atomicity === 'ALL' || hasReferences(order) ? 1 : width);

/**
 * The outcome of a row follows from the row before it unless it may be refused for other reasons: the record that it refers to, the
 * rules of the writer, or the key.
 */
const windowOf = (order: ImportOrder): RowWriting<PreparedItem>['window'] =>
  order.mode === 'CREATE' || order.dataAccess !== undefined || hasReferences(order)
    ? 'EACH_BATCH'
    : { bytes: windowBytes, bytesOnceRepeated: windowBytesOnceRepeated };

const writingThrough = (dependencies: WriteDependencies, order: ImportOrder): RowWriting<PreparedItem> => {
  const { mode, version, writerUuid, requestId, dataAccess } = order;
  const kind = mode === 'CREATE' ? 'CREATE' : 'REPLACE';
  const freeKeys = new FreeKeys();
  /** Causes of rows that are not valid. */
  let causes = 0;
  return {
    width: widthOf(order),
    window: windowOf(order),
    prepare: async (rows) => {
      const writes = rows.map((json) => ({ kind, domainVersionUuid: version.uuid, json }) as const);
      const prepared = await prepareWrites(
        dependencies.database.pool,
        dependencies.view,
        writes,
        causes < maxFaults ? 'ALL' : 'NONE',
      );
      return writes.map((write, index) => {
        const ahead = prepared[index] as PreparedOutcome;
        if ('refusal' in ahead) causes += ahead.refusal.errors.length;
        const read = 'read' in ahead ? ahead.read : undefined;
        return { item: { write, ahead }, key: read?.keyDigest, given: write.json, json: read?.json ?? null };
      });
    },
    write: async (items) => {
      const keys = freeKeys.areLikely ? 'BELIEVE_FREE' : 'LOOK_UP';
      const results = await writeWithoutRefused(items, (some) =>
        commitWrites(
          dependencies,
          some.map((item) => item.write),
          { writerUuid, requestId, dataAccess, keptEvents: 'ROUTED', foldsWrites: true, keys },
          some.map((item) => item.ahead),
        ),
      );
      freeKeys.note(results);
      return results;
    },
  };
};

const importThrough = async (
  dependencies: ImportDependencies,
  database: Database,
  order: ImportOrder,
): Promise<{ readonly tally: ImportTally; readonly broken: BrokenFile | undefined }> => {
  const { view, maxRowBytes } = dependencies;
  const tally = new ImportTally();
  const rows = readUpload({ client: dependencies.database.pool, view, maxRowBytes }, order.upload, order);
  try {
    await importRows(rows, writingThrough({ ...dependencies, database }, order), tally);
    return { tally, broken: undefined };
  } catch (error) {
    if (error instanceof BrokenFile) return { tally, broken: error };
    throw error;
  }
};

const importEach = async (dependencies: ImportDependencies, order: ImportOrder): Promise<ImportReport> => {
  const { tally, broken } = await importThrough(dependencies, dependencies.database, order);
  const report = { counts: tally.counts, faults: tally.faults };
  if (broken !== undefined) throw brokenOff(broken, report);
  return report;
};

const importAll = async (dependencies: ImportDependencies, order: ImportOrder): Promise<ImportReport> => {
  const unblocked = new ParkedReleases();
  // nothing is gone before all of it is committed
  const onUnblocked = (events: readonly ReleasedEvents[]): void => events.forEach((each) => unblocked.add(each));
  const report = await openEnclosingTransaction(dependencies.database, async (database) => {
    const { tally, broken } = await importThrough({ ...dependencies, onUnblocked }, database, order);
    const { counts, faults } = tally;
    if (broken !== undefined) throw brokenOff(broken, { counts: nothingSaved(counts), faults });
    if (counts.failed > 0) throw wrongRows({ counts: nothingSaved(counts), faults });
    return { counts, faults };
  });
  dependencies.onUnblocked(unblocked.take());
  return report;
};

/**
 * Imports what was uploaded, row after row: later rows see what earlier ones did.
 *
 * @throws AppError MALFORMED_JSON, MALFORMED_CSV, VALIDATION_FAILED, each with the counts so far in its details and the
 * faults with their `row` in its errors: the file breaks off; its header does not fit; a row is wrong where all must be right
 */
export const importUpload = (dependencies: ImportDependencies, order: ImportOrder): Promise<ImportReport> =>
  order.atomicity === 'ALL' ? importAll(dependencies, order) : importEach(dependencies, order);

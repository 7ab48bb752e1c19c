import type { PrismaTransaction } from '@fds/database';
import type { JsonObject } from '@fds/json';
import type { CompiledModel } from '@fds/model-schema';
import { saveRecordValues } from '@fds/owned-tables';
import type { FaultList } from '@fds/errors';
import type { DataAccess, DataVersion } from '../../domain/versions/seen-data.js';
import { layValues, type RecordValues } from '../../domain/models/record-values.js';
import { findValueRecords, type ValueRecord } from './find-value-records.js';
import { openReferenceResolver } from '../../store/versions/resolve-value-references.js';

interface Version extends DataVersion {
  readonly model: CompiledModel;
}

/** The record of an entry, merged with its values and checked against the model. */
interface LaidRecord {
  readonly entry: RecordValues;
  readonly record: ValueRecord;
  readonly json: JsonObject;
}

const layOne = (
  { model }: Version,
  entry: RecordValues,
  record: ValueRecord,
  faults: FaultList,
): LaidRecord | undefined => {
  const validation = model.validate(layValues(record.json, entry.json));
  if (validation.valid) return { entry, record, json: validation.record };
  for (const cause of validation.errors) faults.add(`${entry.pointer}/json${cause.pointer}`, cause.code, cause.detail);
  return undefined;
};

/**
 * Loads data for new properties into records of a data-store version, in the transaction that adds the properties.
 * Records are checked against the new model, and references are looked up and stored, as for any record. The number of
 * statements does not depend on the number of entries. Faults are collected. The caller must not commit when there are
 * any.
 */
export const loadRecordValues = async (
  tx: PrismaTransaction,
  version: Version,
  values: readonly RecordValues[],
  change: {
    readonly time: Date;
    readonly actorUuid: string | undefined;
    /** The whole request is one transaction. */
    readonly transactionUuid: string;
    /** The data that rules show to the caller. Default: everything. */
    readonly dataAccess?: DataAccess | undefined;
  },
  faults: FaultList,
): Promise<void> => {
  if (values.length === 0) return;
  const access = change.dataAccess?.of('GET', version);
  const records = await findValueRecords(tx, { ...version, access }, values, faults);
  const laid = [...records].flatMap(([entry, record]) => layOne(version, entry, record, faults) ?? []);
  const resolve = await openReferenceResolver(
    tx,
    version,
    laid.map(({ json }) => json),
    change.dataAccess,
  );
  const resolved = laid.map(({ entry, record, json }) => {
    const { stored, references, unknown, ambiguous } = resolve(json, record.json);
    for (const pointer of unknown) {
      faults.add(`${entry.pointer}/json${pointer}`, 'UNKNOWN_REFERENCE', 'the value points at no record');
    }
    for (const pointer of ambiguous) {
      faults.add(`${entry.pointer}/json${pointer}`, 'AMBIGUOUS_REFERENCE', 'several records fit the value');
    }
    return { uuid: record.uuid, drKey: record.drKey, json: stored, references };
  });
  if (!faults.isEmpty) return;

  await saveRecordValues(tx, resolved, { ...change, domainVersionUuid: version.uuid });
};

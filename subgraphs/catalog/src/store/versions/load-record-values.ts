import { logChangeList, type PrismaTransaction } from '@fds/database';
import { stringifyJson, type JsonObject } from '@fds/json';
import type { CompiledModel } from '@fds/model-schema';
import type { FaultList } from '@fds/resource-rules';
import type { DataAccess, DataVersion } from '../../domain/versions/seen-data.js';
import { layValues, type RecordValues } from '../../domain/models/record-values.js';
import { findValueRecords, type ValueRecord } from './find-value-records.js';
import { openReferenceResolver, type RecordReference } from './resolve-value-references.js';

interface Version extends DataVersion {
  readonly model: CompiledModel;
}

/** An entry's record with its values, checked against the model. */
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

const saveReferences = async (
  tx: PrismaTransaction,
  records: readonly { readonly uuid: string; readonly references: readonly RecordReference[] }[],
): Promise<void> => {
  await tx.recordReference.deleteMany({ where: { recordUuid: { in: records.map(({ uuid }) => uuid) } } });
  const rows = records.flatMap(({ uuid, references }) =>
    references.map((reference) => ({ ...reference, recordUuid: uuid })),
  );
  if (rows.length > 0) await tx.recordReference.createMany({ data: rows });
};

/**
 * Loads data for new properties into records of a data-store version, in the transaction that adds the properties: checked
 * against the new model like any record, with references looked up and stored like those of any record. The number of
 * statements is fixed and does not depend on the number of entries. Faults are collected; nothing may be committed when
 * there are any.
 */
export const loadRecordValues = async (
  tx: PrismaTransaction,
  version: Version,
  values: readonly RecordValues[],
  change: {
    readonly time: Date;
    readonly actorUuid: string | undefined;
    /** The request is one transaction. */
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

  const uuids = resolved.map(({ uuid }) => uuid);
  const texts = resolved.map(({ json }) => stringifyJson(json));
  await tx.$executeRaw`
    UPDATE data_record AS r
    SET json = n.json::jsonb, last_updated = ${change.time}, change_version = r.change_version + 1
    FROM unnest(${uuids}::uuid[], ${texts}::text[]) AS n(uuid, json)
    WHERE r.uuid = n.uuid`;
  await saveReferences(tx, resolved);
  await logChangeList(
    tx,
    resolved.map(({ uuid, drKey, json }) => ({
      action: 'PATCH',
      resourceType: 'Dr',
      resource: `/drs/${uuid}`,
      resourceUuid: uuid,
      ...(change.actorUuid === undefined ? {} : { actorUuid: change.actorUuid }),
      data: { uuid, domainVersionUuid: version.uuid, drKey, json, transactionUuid: change.transactionUuid },
    })),
  );
};

import { logChange, type PrismaTransaction } from '@fds/database';
import { isJsonObject, parseJson, stringifyJson, type JsonObject } from '@fds/json';
import type { CompiledModel } from '@fds/model-schema';
import type { FaultList } from '../domain/fault-list.js';
import type { RecordValues } from '../domain/record-values.js';

interface StoredRecord {
  readonly uuid: string;
  readonly json: JsonObject;
}

const findRecord = async (
  tx: PrismaTransaction,
  domainVersionUuid: string,
  model: CompiledModel,
  { pointer, drUuid, drKey }: RecordValues,
  faults: FaultList,
): Promise<StoredRecord | undefined> => {
  const key = drKey === undefined ? undefined : model.validateDrKey(drKey);
  if (key?.valid === false) {
    for (const cause of key.errors) faults.add(`${pointer}/drKey${cause.pointer}`, cause.code, cause.detail);
    return undefined;
  }
  const rows =
    key === undefined
      ? await tx.$queryRaw<{ uuid: string; json: string | null }[]>`
          SELECT uuid::text AS uuid, json::text AS json FROM data_record
          WHERE domain_version_uuid = ${domainVersionUuid}::uuid AND uuid = ${drUuid}::uuid FOR UPDATE`
      : await tx.$queryRaw<{ uuid: string; json: string | null }[]>`
          SELECT uuid::text AS uuid, json::text AS json FROM data_record
          WHERE domain_version_uuid = ${domainVersionUuid}::uuid AND key_digest = ${model.keyDigest(key.record)}
          FOR UPDATE`;
  const [row] = rows;
  const json = typeof row?.json === 'string' ? parseJson(row.json) : undefined;
  if (row !== undefined && isJsonObject(json)) return { uuid: row.uuid, json };
  faults.add(
    `${pointer}/${key === undefined ? 'drUuid' : 'drKey'}`,
    'UNKNOWN_REFERENCE',
    'the version has no such record',
  );
  return undefined;
};

/**
 * Loads data for new properties into records of a data-store version, in the transaction that adds the properties.
 * Faults are collected; nothing may be committed when there are any.
 */
export const loadRecordValues = async (
  tx: PrismaTransaction,
  version: { readonly uuid: string; readonly model: CompiledModel },
  values: readonly RecordValues[],
  change: { readonly time: Date; readonly actorUuid: string | undefined },
  faults: FaultList,
): Promise<void> => {
  for (const entry of values) {
    const record = await findRecord(tx, version.uuid, version.model, entry, faults);
    if (record === undefined) continue;
    const validation = version.model.validate({ ...record.json, ...entry.json });
    if (!validation.valid) {
      for (const cause of validation.errors) {
        faults.add(`${entry.pointer}/json${cause.pointer}`, cause.code, cause.detail);
      }
      continue;
    }
    await tx.$executeRaw`
      UPDATE data_record SET json = ${stringifyJson(validation.record)}::text::jsonb, last_updated = ${change.time},
        change_version = change_version + 1
      WHERE uuid = ${record.uuid}::uuid`;
    await logChange(tx, {
      action: 'PATCH',
      resourceType: 'Dr',
      resource: `/drs/${record.uuid}`,
      resourceUuid: record.uuid,
      actorUuid: change.actorUuid,
      data: { uuid: record.uuid, domainVersionUuid: version.uuid },
    });
  }
};

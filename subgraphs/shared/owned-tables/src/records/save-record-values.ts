import { logChangeList, type PrismaTransaction } from '@fds/database';
import { stringifyJson, type JsonObject, type JsonValue } from '@fds/json';

/** A record with its new data. */
export interface SavedValues {
  readonly uuid: string;
  readonly drKey: JsonValue;
  readonly json: JsonObject;
  /** All references of the new data. */
  readonly references: readonly { readonly pointer: string; readonly targetUuid: string }[];
}

/**
 * Replaces data and references of records of one version and logs the changes, in the transaction of the caller, which holds
 * the locks of the records. A fixed number of statements.
 */
export const saveRecordValues = async (
  tx: PrismaTransaction,
  records: readonly SavedValues[],
  change: {
    readonly domainVersionUuid: string;
    readonly time: Date;
    readonly actorUuid: string | undefined;
    readonly transactionUuid: string;
  },
): Promise<void> => {
  const uuids = records.map(({ uuid }) => uuid);
  const texts = records.map(({ json }) => stringifyJson(json));
  await tx.$executeRaw`
    UPDATE data_record AS r
    SET json = n.json::jsonb, last_updated = ${change.time}, change_version = r.change_version + 1
    FROM unnest(${uuids}::uuid[], ${texts}::text[]) AS n(uuid, json)
    WHERE r.uuid = n.uuid`;
  await tx.recordReference.deleteMany({ where: { recordUuid: { in: uuids } } });
  const references = records.flatMap((record) =>
    record.references.map((reference) => ({ ...reference, recordUuid: record.uuid })),
  );
  if (references.length > 0) await tx.recordReference.createMany({ data: references });
  await logChangeList(
    tx,
    records.map(({ uuid, drKey, json }) => ({
      action: 'PATCH',
      resourceType: 'Dr',
      resource: `/drs/${uuid}`,
      resourceUuid: uuid,
      ...(change.actorUuid === undefined ? {} : { actorUuid: change.actorUuid }),
      data: {
        uuid,
        domainVersionUuid: change.domainVersionUuid,
        drKey,
        json,
        transactionUuid: change.transactionUuid,
      },
    })),
  );
};

import pg from 'pg';
import { createVersion, requireStatus } from '../../harness/catalogue.js';
import { customer, customerProperties, type Customer } from './customer.js';
import { inParallel } from './in-parallel.js';
import type { Stage } from './open-stage.js';

/** Records that the service stores, in the order in which it lists them. */
export interface RecordSet {
  readonly domainVersionUuid: string;
  /** Name of the GraphQL query field. */
  readonly field: string;
  readonly records: readonly { readonly uuid: string; readonly json: Customer }[];
}

/** Creates a data-store version and this number of records by REST. */
export const createRecordSet = async ({ steward }: Stage, size: number): Promise<RecordSet> => {
  const { domainVersionUuid, domainName } = await createVersion(steward, {
    name: 'customers',
    domainType: 'SERVICE_DATA_STORE',
    properties: customerProperties,
    drKeyProperties: ['id'],
  });
  const numbers = Array.from({ length: size }, (_, index) => index);
  const records = await inParallel(8, numbers, async (n) => {
    const json = customer(n);
    const answer = requireStatus(await steward.rest<{ uuid: string }>('POST', '/drs', { name: domainName, json }), 201);
    return { uuid: answer.body.uuid, json };
  });
  records.sort((one, other) => (one.uuid < other.uuid ? -1 : 1));
  return { domainVersionUuid, field: `dr_${domainName}_1`, records };
};

/**
 * Inserts further records into the version by SQL until it has this number. Lists show them after the records of the
 * set.
 */
export const fillRecordSet = async (
  databaseUrl: string,
  { domainVersionUuid, records }: RecordSet,
  count: number,
): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const numbers = Array.from({ length: count - records.length }, (_, index) => records.length + index);
    for (let from = 0; from < numbers.length; from += 10_000) {
      const rows = numbers.slice(from, from + 10_000).map((n) => customer(n));
      await client.query(
        `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json)
         SELECT uuidv7(), $1, sha256(convert_to(json ->> 'id', 'UTF8')), jsonb_build_object('id', json -> 'id'), json
         FROM jsonb_array_elements($2::jsonb) AS json`,
        [domainVersionUuid, JSON.stringify(rows)],
      );
    }
    await client.query('VACUUM ANALYZE data_record');
  } finally {
    await client.end();
  }
};

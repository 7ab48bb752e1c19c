import type { Queryable } from '@fds/database';

/** Versions and adaptors whose kept counts differ from the rows, in one snapshot; none when all counts are right. */
export const findMiscounts = async (client: Queryable): Promise<readonly object[]> => {
  const { rows } = await client.query<object>(
    `SELECT * FROM (
       SELECT domain_version_uuid, adaptor_uuid, sum(records) AS records, sum(linked) AS linked, sum(links) AS links,
              sum(kept_records) AS kept_records, sum(kept_linked) AS kept_linked, sum(kept_links) AS kept_links
       FROM (
         SELECT domain_version_uuid, adaptor_uuid, 0 AS records, 0 AS linked, 0 AS links,
                records AS kept_records, linked AS kept_linked, links AS kept_links FROM record_count
         UNION ALL SELECT domain_version_uuid, NULL, 1, 0, 0, 0, 0, 0 FROM data_record
         UNION ALL SELECT domain_version_uuid, adaptor_uuid, 0, 0, 1, 0, 0, 0 FROM record_link
         UNION ALL SELECT domain_version_uuid, NULL, 0, 1, 0, 0, 0, 0
                   FROM (SELECT DISTINCT domain_version_uuid, record_uuid FROM record_link) AS linked
       ) AS each GROUP BY domain_version_uuid, adaptor_uuid
     ) AS both_counts
     WHERE (records, linked, links) IS DISTINCT FROM (kept_records, kept_linked, kept_links)`,
  );
  return rows;
};

import { noAdaptor, type ListingFilter, type RowSource } from '@fds/search';

/** The rows of a page whole: `selected` are their records and adaptors in order. */
export const writeWhole = (selected: string, sources: readonly RowSource[], filter: ListingFilter): string => {
  const { rows, adaptorUuid } = filter;
  const linked = sources.some(({ adaptor }) => adaptor !== noAdaptor);
  const ofRow = (column: string): string => (linked ? `coalesce(l.${column}, r.${column})` : `r.${column}`);
  const dated = rows === 'PER_LINK' || adaptorUuid !== undefined ? ofRow('date_created') : 'r.date_created';
  return `SELECT r.uuid, ${rows === 'PER_LINK' ? 'page.adaptor_uuid' : 'NULL::uuid'} AS adaptor_uuid,
                 page.adaptor_uuid AS holder_uuid, r.domain_version_uuid, r.created_by_uuid, r.change_version,
                 ${dated} AS date_created, ${ofRow('dr_key')}::text AS dr_key,
                 r.json::text AS json, page.place
          FROM (SELECT ordered.*, row_number() OVER () AS place FROM (${selected}) AS ordered) AS page
          JOIN data_record r ON r.uuid = page.uuid
          ${linked ? 'LEFT JOIN record_link l ON l.record_uuid = page.uuid AND l.adaptor_uuid = page.adaptor_uuid' : ''}`;
};

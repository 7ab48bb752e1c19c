import type { AdaptorError } from '@fds/adaptor-protocol';
import type { Queryable } from '@fds/database';
import { stringifyJson } from '@fds/json';
import { readKey } from '../../domain/events/read-key.js';
import { findDomains, loadVersions } from '../../catalog-view/store/load-catalog.js';
import type { ReportedEvent } from './find-reported-event.js';

/** A row of an adaptor's own system that it could not read. */
export interface OwnRow extends ReportedEvent {
  /** Hexadecimal digest of its DR Key. */
  readonly rowDigest: string;
}

/** The row that an error names by domain, version and DR Key. Undefined: it names none, or no known version. */
export const findOwnRow = async (
  client: Queryable,
  adaptorUuid: string,
  { domain, version: number, drKey }: Pick<AdaptorError, 'domain' | 'version' | 'drKey'>,
): Promise<OwnRow | undefined> => {
  if (domain === undefined || number === undefined || drKey === undefined) return undefined;
  const domainUuids = await findDomains(client, [domain]);
  const versions = domainUuids.length === 0 ? [] : await loadVersions(client, domainUuids);
  const version = versions.find((each) => (number === 0 ? each.isDefault : each.versionNumber === number));
  const key = version === undefined ? undefined : readKey(version.model, drKey);
  if (version === undefined || key === undefined) return undefined;
  const { rows } = await client.query<{ readonly uuid: string }>({
    name: 'records-find-own-row',
    text: `SELECT record_uuid AS uuid FROM record_link
           WHERE domain_version_uuid = $1 AND adaptor_uuid = $2 AND key_digest = decode($3, 'hex')`,
    values: [version.uuid, adaptorUuid, key.digest],
  });
  return {
    eventUuid: null,
    domainVersionUuid: version.uuid,
    recordUuid: rows[0]?.uuid ?? null,
    sequence: null,
    content: null,
    dataEvent: stringifyJson({ domain: version.domainName, version: version.versionNumber, drKey: key.drKey }),
    rowDigest: key.digest,
  };
};

import type { CursorSealer, Principal } from '@fds/auth';
import { seeChange, type EventSource, type FeedVersion } from '@fds/change-events';
import type { Database } from '@fds/database';
import { AppError } from '@fds/errors';
import { requirePermission, type RequestContext } from '@fds/graphql';
import { isJsonObject, stringifyJson, type JsonValue } from '@fds/json';
import { readCursor } from '../read-cursor.js';

export interface DataArguments {
  readonly domainName: string;
  readonly version?: number | bigint | null;
  readonly actions?: readonly string[] | null;
  readonly after?: string | null;
}

interface NamedVersion {
  readonly uuid: string;
  readonly domainUuid: string;
  readonly domainType: string;
}

/** The version of a domain, whose name is compared ignoring case; 0 and null mean the default version. */
const findVersion = async (
  { reads }: Pick<Database, 'reads'>,
  domainName: string,
  version: number | bigint | null | undefined,
): Promise<NamedVersion | undefined> => {
  const { rows } = await reads.query<{ uuid: string; domain_uuid: string; domain_type: string }>(
    `SELECT v.uuid, d.uuid AS domain_uuid, d.domain_type FROM domain_version v JOIN domain d ON d.uuid = v.domain_uuid
     WHERE d.name_key = replace(lower($1), '-', '_') AND lower(d.name) = lower($1)
       AND CASE WHEN $2::int = 0 THEN v.uuid = d.default_version_uuid ELSE v.version_number = $2::int END`,
    [domainName, version ?? 0],
  );
  const [row] = rows;
  return row && { uuid: row.uuid, domainUuid: row.domain_uuid, domainType: row.domain_type };
};

/** The record type is visible to callers who may read its version by either of its paths. */
const maySeeVersion = ({ permits }: Principal, { uuid, domainUuid }: NamedVersion): boolean =>
  permits('GET', `/domains/${domainUuid}/versions/${uuid}`) || permits('GET', `/domains/versions/${uuid}`);

/** The values of the DR Key in the order of the version. A hidden value is null. */
const keyValues = (drKey: JsonValue | undefined, version: FeedVersion | undefined): JsonValue[] => {
  const key = isJsonObject(drKey) ? drKey : {};
  return (version?.drKeyProperties ?? Object.keys(key)).map((name) => key[name] ?? null);
};

const textOrNull = (value: JsonValue | undefined): string | null => (typeof value === 'string' ? value : null);

/**
 * Changes of records of a data store, for `dataEvents`.
 *
 * @throws AppError FORBIDDEN, NOT_FOUND, INVALID_PARAMETER, UNKNOWN_CURSOR
 */
export const createDataSource = async (
  { domainName, version, actions, after }: DataArguments,
  { principal }: Pick<RequestContext, 'principal'>,
  { database, cursors }: { readonly database: Pick<Database, 'reads'>; readonly cursors: CursorSealer },
): Promise<EventSource> => {
  const cursor = readCursor(cursors, after);
  const inRange = version === null || version === undefined || (version >= 0 && version < 2 ** 31);
  const found = inRange ? await findVersion(database, domainName, version) : undefined;
  // a hidden version gets the same answer as one that does not exist
  if (found === undefined || !maySeeVersion(principal, found))
    throw new AppError('NOT_FOUND', `there is no version ${version ?? 0} of a domain "${domainName.slice(0, 128)}"`);
  requirePermission(principal, 'GET', '/drs');
  if (found.domainType !== 'SERVICE_DATA_STORE') {
    const detail = `the data of "${domainName}" stays in its sources: only domains of the type SERVICE_DATA_STORE have data events here`;
    throw new AppError('INVALID_PARAMETER', detail, {
      errors: [{ pointer: 'domainName', code: 'INVALID_VALUE', detail }],
    });
  }
  const wanted = actions === null || actions === undefined || actions.includes('ALL') ? undefined : new Set(actions);
  return {
    name: 'dataEvents',
    // the default version of a domain can change
    identity: found.uuid,
    events: [],
    topics: ['Dr'],
    after: cursor,
    see: (receiver, item) => {
      if (item.kind !== 'CHANGE' || !maySeeVersion(receiver, found)) return undefined;
      const { subject, change } = item;
      if (change.resourceType !== 'Dr') return undefined;
      const named = isJsonObject(change.data) ? change.data['domainVersionUuid'] : undefined;
      if (named !== found.uuid) return undefined;
      const action = change.action === 'PATCH' ? 'PUT' : change.action;
      if (wanted?.has(action) === false) return undefined;
      const seen = seeChange(receiver, change, subject);
      if (seen === undefined || !isJsonObject(seen.data)) return undefined;
      const { drKey, json, transactionUuid } = seen.data;
      return {
        cursor: cursors.seal(item.position),
        action,
        drUuid: change.resourceUuid,
        domainVersionUuid: found.uuid,
        // the actor of a change over the API is a person
        sourceAdaptorUuid: subject.adaptorZoneUuid === undefined ? null : change.actorUuid,
        destinationAdaptorUuid: null,
        transactionUuid: textOrNull(transactionUuid),
        createTime: change.dateCreated.getTime(),
        drKey: stringifyJson(keyValues(drKey, subject.version)),
        jsonData: json === undefined ? null : stringifyJson(json),
        domainVersion: { uuid: found.uuid },
        record: { uuid: change.resourceUuid },
      };
    },
  };
};

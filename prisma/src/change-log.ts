import { stringifyJson } from '@fds/json';
import { noteNews } from './announcements.js';
import { binaryArray } from './binary-array.js';
import { joinedScope } from './joined-work.js';
import type { PrismaTransaction, SqlSession } from './open-database.js';

/** A change of a resource, as its writer reports it in the transaction of the change. */
export interface Change {
  readonly action: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Zone, AdaptorType, Adaptor, AdaptorState, Domain, DomainVersion, Dr, ... */
  readonly resourceType: string;
  /** Path below `/api`. */
  readonly resource: string;
  readonly resourceUuid?: string;
  readonly zoneUuid?: string;
  /** The person or adaptor that made the change; undefined: the server. */
  readonly actorUuid?: string;
  /** The resource after the change (before it, for DELETE), without secrets. A member that is a Date is logged as epoch ms. */
  readonly data?: unknown;
  /** W3C trace context. Default: that of the transaction. */
  readonly traceparent?: string | undefined;
}

/** A change as readers see it. */
export interface LoggedChange extends Change {
  readonly position: bigint;
  readonly dateCreated: Date;
}

/** Times are epoch milliseconds, like in the REST API. */
const toText = (data: unknown): string | null => {
  if (data === undefined) return null;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return stringifyJson(data);
  const members: [string, unknown][] = Object.entries(data);
  if (!members.some(([, value]) => value instanceof Date)) return stringifyJson(data);
  return stringifyJson(
    Object.fromEntries(members.map(([name, value]) => [name, value instanceof Date ? value.getTime() : value])),
  );
};

const toRow = ({ data, traceparent, ...columns }: Change) => ({
  ...columns,
  ...(traceparent === undefined ? {} : { traceparent }),
  data: toText(data),
});

/** Wakes the readers of these types when the transaction is committed. `intoChangeLog` needs it. */
export const noteChanges = (resourceTypes: Iterable<string>): void => noteNews('fds_change_log', resourceTypes);

/**
 * Keeps changes of joined work until it commits: readers of the log wait for a transaction from its first entry on, and
 * joined work is long.
 */
const isKept = (changes: readonly Change[]): boolean => {
  const scope = joinedScope();
  scope?.keep(changes, insertChanges);
  return scope !== undefined;
};

/** Logs a change in a Prisma transaction. */
export const logChange = async (tx: PrismaTransaction, change: Change): Promise<void> => {
  if (isKept([change])) return;
  noteChanges([change.resourceType]);
  await tx.changeLogEntry.create({ data: toRow(change), select: { position: true } });
};

/** Logs many changes in a Prisma transaction, with one statement for all. */
export const logChangeList = async (tx: PrismaTransaction, changes: readonly Change[]): Promise<void> => {
  if (isKept(changes)) return;
  noteChanges(changes.map(({ resourceType }) => resourceType));
  await tx.changeLogEntry.createMany({ data: changes.map(toRow) });
};

/**
 * Start of an INSERT that logs the rows of a SELECT in the same statement. The SELECT returns these columns in this
 * order. The caller calls `noteChanges` too.
 */
export const intoChangeLog =
  'INSERT INTO change_log (action, resource_type, resource, resource_uuid, zone_uuid, actor_uuid, data)';

const intoTracedChangeLog = intoChangeLog.replace('data)', 'data, traceparent)');

/** Logs changes in a SQL transaction, with one statement for all. */
export const logChanges = async (client: SqlSession, changes: readonly Change[]): Promise<void> => {
  if (changes.length === 0 || isKept(changes)) return;
  await insertChanges(client, changes);
};

const insertChanges = async (client: SqlSession, changes: readonly Change[]): Promise<void> => {
  noteChanges(changes.map(({ resourceType }) => resourceType));
  const isTraced = changes.some(({ traceparent }) => traceparent !== undefined);
  const columns = '$1::text[], $2::text[], $3::text[], $4::uuid[], $5::uuid[], $6::uuid[], $7::text[]';
  await client.query({
    name: isTraced ? 'database-log-traced-changes' : 'database-log-changes',
    text: isTraced
      ? `${intoTracedChangeLog} SELECT * FROM unnest(${columns}, $8::text[])`
      : `${intoChangeLog} SELECT * FROM unnest(${columns})`,
    values: [
      binaryArray.text(changes.map((change) => change.action)),
      binaryArray.text(changes.map((change) => change.resourceType)),
      binaryArray.text(changes.map((change) => change.resource)),
      binaryArray.uuid(changes.map((change) => change.resourceUuid ?? null)),
      binaryArray.uuid(changes.map((change) => change.zoneUuid ?? null)),
      binaryArray.uuid(changes.map((change) => change.actorUuid ?? null)),
      binaryArray.text(changes.map(({ data }) => toText(data))),
      ...(isTraced ? [binaryArray.text(changes.map(({ traceparent }) => traceparent ?? null))] : []),
    ],
  });
};

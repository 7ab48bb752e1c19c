import type { AdaptorError } from '@fds/adaptor-protocol';
import { isDeepStrictEqual } from 'node:util';
import type { Database, SqlSession } from '@fds/database';
import { isJsonObject, parseJson, type JsonObject } from '@fds/json';
import { raiseAdaptorIssue } from '../../domain/events/raise-adaptor-issue.js';
import { RecordBook } from '../../domain/records/record-book.js';
import { contentOf, type ContentHashes } from '../../domain/routing/content-hashes.js';
import type { KnownContent } from '../../domain/routing/known-content.js';
import { hasSent } from '../../domain/routing/sent-content.js';
import { withFailure } from '../../domain/routing/with-failure.js';
import { withNotApplied } from '../../domain/routing/not-applied.js';
import { lockChannels } from '../../store/channels/channel.js';
import { loadRecords } from '../../store/records/load-records.js';
import { saveRecords } from '../../store/records/save-records.js';
import { findAdaptorZone } from '../../catalog-view/store/find-adaptor-zone.js';
import { findReportedEvent, type ReportedEvent } from '../../store/events/find-reported-event.js';
import { loadNotApplied, saveFailure, saveNotApplied } from '../../store/channels/delivery.js';
import { findOwnRow } from '../../store/events/find-own-row.js';
import { saveIssues } from '../../store/events/save-events.js';
import { loadLaterWholes, nameFailedEvent } from '../../store/issues/failed-message.js';
import { lockNewIssue } from '../../store/issues/lock-new-issue.js';
import { logIssues, newIssue } from '../../store/issues/log-issues.js';
import { noteRepairable } from '../../store/issues/repaired-issues.js';
import { uuidOfMessage, type AdaptorMessage } from './uuid-of-message.js';

export interface AdaptorErrorDependencies {
  readonly database: Database;
}

/** A message of the outbox, and not only its record. */
type ReportedMessage = ReportedEvent & { readonly eventUuid: string; readonly sequence: number };

const isMessage = (event: ReportedEvent | undefined): event is ReportedMessage =>
  event !== undefined && event.eventUuid !== null && event.sequence !== null;

/** The properties of a message and those that it changes. Undefined: its content is dropped by now. */
const readSent = ({
  dataEvent,
}: ReportedMessage): { readonly data: JsonObject; readonly changed: readonly string[] } | undefined => {
  const message = dataEvent === null ? undefined : parseJson(dataEvent);
  if (message === undefined || !isJsonObject(message) || typeof message['jsonData'] !== 'string') return undefined;
  const data = parseJson(message['jsonData']);
  if (!isJsonObject(data)) return undefined;
  const { changed } = message;
  const names = Object.keys(data);
  return { data, changed: Array.isArray(changed) ? names.filter((name) => changed.includes(name)) : names };
};

/**
 * The values that a message changed. If the message is dropped by now: those that the adaptor is believed to have of it, changed or
 * repeated.
 */
const changedBy = (event: ReportedMessage, known: KnownContent): ContentHashes => {
  const sent = readSent(event);
  const { content } = event;
  const values: readonly (readonly [string, string])[] =
    sent === undefined
      ? Object.entries(known.hashes).filter(([name, hash]) => content !== null && hasSent(content, name, hash))
      : Object.entries(contentOf(sent.data)).filter(([name]) => sent.changed.includes(name));
  return Object.fromEntries(values);
};

/** Nothing is queued for the adaptor until the transaction ends. Every transaction on records locks channels first. */
const lockAdaptor = (client: SqlSession, adaptorUuid: string) => lockChannels(client, [adaptorUuid]);

/**
 * Notes in the known content that the adaptor has none of the new values of a message, or of some properties of it. Its channel is
 * locked.
 *
 * @param skipped the properties without which the adaptor applied the message. Default: it applied nothing
 */
const noteFailure = async (
  client: SqlSession,
  adaptorUuid: string,
  event: ReportedMessage,
  skipped?: ReadonlySet<string>,
): Promise<void> => {
  if (event.recordUuid === null) return;
  const { records } = await loadRecords(client, { keys: [], uuids: [event.recordUuid] });
  const book = new RecordBook(records);
  const record = book.byUuid(event.recordUuid);
  const link = record?.links.get(adaptorUuid);
  const known = link?.known ?? record?.expected.get(adaptorUuid);
  if (record === undefined || known === undefined) return;
  const hashes = changedBy(event, known);
  const wholes = await loadLaterWholes(client, { adaptorUuid, recordUuid: event.recordUuid, sequence: event.sequence });
  const content = Object.fromEntries(
    Object.entries(hashes).filter(
      ([name, hash]) => skipped?.has(name) !== false && !wholes.some((whole) => hasSent(whole, name, hash)),
    ),
  );
  const extent = skipped === undefined ? 'WHOLE' : 'PART';
  const next = withFailure(known, { sequence: event.sequence, content }, extent);
  if (isDeepStrictEqual(next, known)) return;
  if (link !== undefined) book.link(record, { ...link, known: next });
  else {
    record.expected.set(adaptorUuid, next);
    book.touch(record);
  }
  await saveRecords(client, book.changes());
};

/** Notes with the delivery, and in the known content, that its adaptor applied the message without some properties. */
const noteNotApplied = async (client: SqlSession, adaptorUuid: string, error: AdaptorError): Promise<void> => {
  const { drUuid, transactionUuid, sequence, properties = [], message: reason } = error;
  if (sequence === undefined && (drUuid === undefined || transactionUuid === undefined)) return;
  await lockAdaptor(client, adaptorUuid);
  const event = await findReportedEvent(client, adaptorUuid, { drUuid, transactionUuid, sequence });
  if (!isMessage(event)) return;
  await noteFailure(client, adaptorUuid, event, new Set(properties));
  const place = { adaptorUuid, sequence: event.sequence };
  const known = await loadNotApplied(client, place);
  // without the content the adaptor is believed
  const carried = new Set(Object.keys(readSent(event)?.data ?? {}));
  const notApplied = withNotApplied(known, { properties, reason }, carried.size === 0 ? new Set(properties) : carried);
  await saveNotApplied(client, place, notApplied);
};

/**
 * Takes errors that adaptors could not handle (docs/protocols/adaptor-bus.md#fdsadaptorerrorv1-on-upops-fdslogv1-on-uplog):
 * an error of kind DATA and level ERROR becomes a data issue of exception ADAPTOR, which keeps the message that it names, and
 * that counts as FAILED. A warning of kind DATA names properties that the adaptor could not apply. Others change nothing. It holds nothing back: for the bus the event is done. Works on the database alone, so
 * that the process which hears `up/ops` need not run the records part. An adaptor that is gone leaves no issue. A message
 * that is received again, by this process or another, leaves no second one.
 *
 * @throws the database's error; nothing is kept then
 */
export const createAdaptorErrorTaker =
  ({ database }: AdaptorErrorDependencies) =>
  async (adaptorUuid: string, error: AdaptorError, heard: AdaptorMessage): Promise<void> => {
    if (error.kind !== 'DATA') return;
    if (error.level === 'WARN') {
      if (error.properties === undefined || error.properties.length === 0) return;
      await database.transaction((client) => noteNotApplied(client, adaptorUuid, error));
      return;
    }
    const issueUuid = uuidOfMessage(adaptorUuid, heard);
    await database.transaction(async (client) => {
      if (!(await lockNewIssue(client, issueUuid))) return;
      const zoneUuid = await findAdaptorZone(client, adaptorUuid);
      if (zoneUuid === undefined) return;
      await lockAdaptor(client, adaptorUuid);
      const { drUuid, transactionUuid, sequence } = error;
      const sent = await findReportedEvent(client, adaptorUuid, { drUuid, transactionUuid, sequence });
      const ownRow = sent === undefined ? await findOwnRow(client, adaptorUuid, error) : undefined;
      const event = sent ?? ownRow;
      // an error that names only the record may be about any of its messages
      const isNamed = transactionUuid !== undefined || sequence !== undefined;
      const failed = isNamed && isMessage(event) ? event : undefined;
      if (failed !== undefined) {
        await saveFailure(client, { adaptorUuid, sequence: failed.sequence });
        await noteFailure(client, adaptorUuid, failed);
      }
      const issue = raiseAdaptorIssue(issueUuid, { uuid: adaptorUuid, zoneUuid }, error, event);
      await saveIssues(client, [issue]);
      await noteRepairable(client, issueUuid, {
        properties: error.properties ?? [],
        rowDigest: ownRow?.rowDigest,
      });
      if (failed !== undefined) await nameFailedEvent(client, issueUuid, failed.eventUuid);
      await logIssues(client, [newIssue(issue)]);
    });
  };

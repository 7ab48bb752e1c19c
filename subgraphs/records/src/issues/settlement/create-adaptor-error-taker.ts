import type { AdaptorError } from '@fds/adaptor-protocol';
import type { Database, Queryable } from '@fds/database';
import { isJsonObject, parseJson } from '@fds/json';
import { raiseAdaptorIssue } from '../../domain/events/raise-adaptor-issue.js';
import { withNotApplied } from '../../domain/routing/not-applied.js';
import { findAdaptorZone } from '../../store/catalog/find-adaptor-zone.js';
import { findReportedEvent, type ReportedEvent } from '../../store/events/find-reported-event.js';
import { loadNotApplied, saveFailure, saveNotApplied } from '../../store/channels/delivery.js';
import { saveIssues } from '../../store/events/save-events.js';
import { nameFailedEvent } from '../store/failed-message.js';
import { lockNewIssue } from '../store/lock-new-issue.js';
import { logIssues, newIssue } from '../store/log-issues.js';
import { uuidOfMessage, type AdaptorMessage } from './uuid-of-message.js';

export interface AdaptorErrorDependencies {
  readonly database: Database;
}

/** A message of the outbox, and not only its record. */
type ReportedMessage = ReportedEvent & { readonly eventUuid: string; readonly sequence: number };

const isMessage = (event: ReportedEvent | undefined): event is ReportedMessage =>
  event !== undefined && event.eventUuid !== null && event.sequence !== null;

/** The properties of a message, from its text. Its content may be dropped by now: then the adaptor is believed. */
const carriedBy = (event: ReportedMessage, named: readonly string[]): ReadonlySet<string> => {
  const message = event.dataEvent === null ? undefined : parseJson(event.dataEvent);
  const text = message !== undefined && isJsonObject(message) ? message['jsonData'] : undefined;
  const data = typeof text === 'string' ? parseJson(text) : undefined;
  return new Set(data !== undefined && isJsonObject(data) ? Object.keys(data) : named);
};

/** Notes with the delivery that its adaptor applied the message without some properties. */
const noteNotApplied = async (client: Queryable, adaptorUuid: string, error: AdaptorError): Promise<void> => {
  const { drUuid, transactionUuid, sequence, properties = [], message: reason } = error;
  if (sequence === undefined && (drUuid === undefined || transactionUuid === undefined)) return;
  const event = await findReportedEvent(client, adaptorUuid, { drUuid, transactionUuid, sequence });
  if (!isMessage(event)) return;
  const place = { adaptorUuid, sequence: event.sequence };
  const known = await loadNotApplied(client, place);
  const notApplied = withNotApplied(known, { properties, reason }, carriedBy(event, properties));
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
      const { drUuid, transactionUuid, sequence } = error;
      const event = await findReportedEvent(client, adaptorUuid, { drUuid, transactionUuid, sequence });
      // an error that names only the record may be about any of its messages
      const isNamed = transactionUuid !== undefined || sequence !== undefined;
      const failed = isNamed && isMessage(event) ? event : undefined;
      if (failed !== undefined) await saveFailure(client, { adaptorUuid, sequence: failed.sequence });
      const issue = raiseAdaptorIssue(issueUuid, { uuid: adaptorUuid, zoneUuid }, error, event);
      await saveIssues(client, [issue]);
      if (failed !== undefined) await nameFailedEvent(client, issueUuid, failed.eventUuid);
      await logIssues(client, [newIssue(issue)]);
    });
  };

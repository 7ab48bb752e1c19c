import type { AdaptorError } from '@fds/adaptor-protocol';
import type { Database } from '@fds/database';
import { raiseAdaptorIssue } from '../../domain/events/raise-adaptor-issue.js';
import { findAdaptorZone } from '../../store/catalog/find-adaptor-zone.js';
import { findReportedEvent, type ReportedEvent } from '../../store/events/find-reported-event.js';
import { saveFailure } from '../../store/channels/delivery.js';
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

/**
 * Takes errors that adaptors could not handle (docs/protocols/adaptor-bus.md#fdsadaptorerrorv1-on-upops-fdslogv1-on-uplog):
 * an error of kind DATA becomes a data issue of exception ADAPTOR, which keeps the message that it names, and that counts as
 * FAILED; others change nothing. It holds nothing back: for the bus the event is done. Works on the database alone, so
 * that the process which hears `up/ops` need not run the records part. An adaptor that is gone leaves no issue. A message
 * that is received again, by this process or another, leaves no second one.
 *
 * @throws the database's error; nothing is kept then
 */
export const createAdaptorErrorTaker =
  ({ database }: AdaptorErrorDependencies) =>
  async (adaptorUuid: string, error: AdaptorError, heard: AdaptorMessage): Promise<void> => {
    if (error.kind !== 'DATA') return;
    const issueUuid = uuidOfMessage(adaptorUuid, heard);
    await database.transaction(async (client) => {
      if (!(await lockNewIssue(client, issueUuid))) return;
      const zoneUuid = await findAdaptorZone(client, adaptorUuid);
      if (zoneUuid === undefined) return;
      const { drUuid, transactionUuid, sequence, message } = error;
      const event = await findReportedEvent(client, adaptorUuid, { drUuid, transactionUuid, sequence });
      // an error that names only the record may be about any of its messages
      const isNamed = transactionUuid !== undefined || sequence !== undefined;
      const failed = error.level === 'ERROR' && isNamed && isMessage(event) ? event : undefined;
      if (failed !== undefined) await saveFailure(client, { adaptorUuid, sequence: failed.sequence });
      const issue = raiseAdaptorIssue(issueUuid, { uuid: adaptorUuid, zoneUuid }, message, event);
      await saveIssues(client, [issue]);
      if (failed !== undefined) await nameFailedEvent(client, issueUuid, failed.eventUuid);
      await logIssues(client, [newIssue(issue)]);
    });
  };

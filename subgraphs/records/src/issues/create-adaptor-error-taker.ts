import type { AdaptorError } from '@fds/adaptor-protocol';
import { logChanges, type Database } from '@fds/database';
import { raiseAdaptorIssue } from '../domain/events/raise-adaptor-issue.js';
import { findAdaptorZone } from '../store/catalog/find-adaptor-zone.js';
import { findReportedEvent } from '../store/events/find-reported-event.js';
import { saveFailure } from '../store/channels/delivery.js';
import { saveIssues } from '../store/events/save-outcomes.js';
import { toLoggedIssue } from '../store/issues/to-logged-issue.js';

export interface AdaptorErrorDependencies {
  readonly database: Database;
  /** UUID version 7. */
  readonly newUuid: () => string;
}

/**
 * Takes what adaptors could not handle (bus.md, `fds.adaptor.error.v1`): of kind DATA it becomes a data issue of exception
 * ADAPTOR and the message it names counts as FAILED, others change nothing. It holds nothing back: for the bus the event is done. Works on the database alone, so
 * that the process which hears `up/ops` need not run the records part. An adaptor that is gone leaves no issue.
 *
 * @throws the database's error; nothing is kept then
 */
export const createAdaptorErrorTaker =
  ({ database, newUuid }: AdaptorErrorDependencies) =>
  async (adaptorUuid: string, error: AdaptorError): Promise<void> => {
    if (error.kind !== 'DATA') return;
    await database.transaction(async (client) => {
      const zoneUuid = await findAdaptorZone(client, adaptorUuid);
      if (zoneUuid === undefined) return;
      const { drUuid, transactionUuid, sequence, message } = error;
      const event = await findReportedEvent(client, adaptorUuid, { drUuid, transactionUuid, sequence });
      // an error that names only the record may be about any of its messages
      const isNamed = transactionUuid !== undefined || sequence !== undefined;
      if (error.level === 'ERROR' && isNamed && event?.sequence !== undefined && event.sequence !== null) {
        await saveFailure(client, { adaptorUuid, sequence: event.sequence });
      }
      const issue = raiseAdaptorIssue(newUuid(), { uuid: adaptorUuid, zoneUuid }, message, event);
      await saveIssues(client, [issue]);
      await logChanges(client, [toLoggedIssue(issue)]);
    });
  };

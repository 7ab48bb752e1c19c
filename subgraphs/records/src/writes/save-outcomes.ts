import { logChanges, type SqlClient } from '@fds/database';
import { saveDecisionCounts } from '@fds/owned-tables';
import type { EventOutcome } from '../domain/events/event-outcome.js';
import { raiseOversizedMessage } from '../domain/events/raise-oversized-message.js';
import { mendedBy, type MendedEvents } from '../domain/issues/mended-by.js';
import type { Channel } from '../domain/meet-adaptor.js';
import { countDecisions } from '../domain/routing/count-decisions.js';
import type { Outbox } from '../domain/routing/outbox.js';
import { advanceChannels } from '../store/channels/channel.js';
import { saveDeliveries, saveEvents, saveIssues } from '../store/events/save-outcomes.js';
import { logIssues, newIssue } from '../store/issues/log-issues.js';
import { saveMatchTokens } from '../store/matching/match-tokens.js';
import { onlyAdds, saveAddedRecords } from '../store/records/save-added-records.js';
import { saveRecords } from '../store/records/save-records.js';
import { toLoggedChange } from '../store/records/to-logged-change.js';
import { saveReferences } from '../store/references/references.js';
import type { Books } from './open-books.js';

/**
 * Writes the changes of decisions to the books, and their effects.
 *
 * @returns events that wait and may go on by it
 */
export const saveOutcomes = async (
  client: SqlClient,
  { book, references }: Pick<Books, 'book' | 'references'>,
  {
    outcomes,
    channels,
    outbox,
    newUuid,
  }: {
    readonly outcomes: readonly EventOutcome[];
    readonly channels: ReadonlyMap<string, Channel>;
    readonly outbox: Outbox;
    readonly newUuid: () => string;
  },
): Promise<readonly MendedEvents[]> => {
  const deliveries = outcomes.flatMap((outcome) => outcome.deliveries);
  outbox.requireAll(deliveries);
  const [changes, logged] = [book.changes(), outcomes.flatMap(({ change }) => change ?? [])];
  const addsOnly = onlyAdds(changes, logged);
  await (addsOnly ? saveAddedRecords(client, changes.inserted, logged) : saveRecords(client, changes));
  await saveMatchTokens(client, book.tokenChanges());
  const forgotten = await saveReferences(client, references.changes(), (uuid) => book.isStored(uuid));
  await saveEvents(
    client,
    outcomes.flatMap(({ event }) => event ?? []),
  );
  await saveDeliveries(client, deliveries);
  await advanceChannels(
    client,
    [...channels.values()].flatMap((channel) => {
      const downSequence = outbox.last(channel.adaptorUuid);
      return downSequence === undefined ? [] : { ...channel, downSequence };
    }),
  );
  await saveDecisionCounts(client, countDecisions(outcomes));
  const undelivered = outbox.leftOut.map((message) => raiseOversizedMessage(newUuid(), message));
  await saveIssues(client, undelivered);
  if (!addsOnly) await logChanges(client, logged.map(toLoggedChange));
  await logIssues(client, undelivered.map(newIssue));
  return mendedBy(book, forgotten);
};

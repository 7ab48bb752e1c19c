import { logChanges, type SqlClient } from '@fds/database';
import type { EventOutcome, IssueCause } from '../domain/events/event-outcome.js';
import { mendedBy } from '../domain/issues/mended-by.js';
import type { Channel } from '../domain/meet-adaptor.js';
import { countDecisions } from '../domain/routing/count-decisions.js';
import { advanceChannels } from '../store/channels/channel.js';
import { saveDecisionCounts } from '../store/events/save-decision-counts.js';
import { saveDeliveries, saveEvents, type NumberedDelivery } from '../store/events/save-outcomes.js';
import { saveMatchTokens } from '../store/matching/match-tokens.js';
import { onlyAdds, saveAddedRecords } from '../store/records/save-added-records.js';
import { saveRecords } from '../store/records/save-records.js';
import { toLoggedChange } from '../store/records/to-logged-change.js';
import { saveReferences } from '../store/references/references.js';
import type { Books } from './open-books.js';

const numberDeliveries = (channels: ReadonlyMap<string, Channel>, outcomes: readonly EventOutcome[]) => {
  const after = new Map<string, Channel>();
  const deliveries: NumberedDelivery[] = outcomes.flatMap((outcome) =>
    outcome.deliveries.map((delivery) => {
      const channel = after.get(delivery.adaptorUuid) ?? channels.get(delivery.adaptorUuid);
      if (channel === undefined) throw new TypeError('a message for an adaptor whose channel is not locked');
      const sequence = channel.downSequence + 1;
      after.set(delivery.adaptorUuid, { ...channel, downSequence: sequence });
      return { sequence, ...delivery };
    }),
  );
  return { deliveries, channels: [...after.values()] };
};

/**
 * Writes what decisions did to the books, and what they lead to.
 *
 * @returns causes of issues that may be gone by it
 */
export const saveOutcomes = async (
  client: SqlClient,
  { book, references }: Pick<Books, 'book' | 'references'>,
  {
    outcomes,
    channels,
  }: { readonly outcomes: readonly EventOutcome[]; readonly channels: ReadonlyMap<string, Channel> },
): Promise<readonly IssueCause[]> => {
  const numbered = numberDeliveries(channels, outcomes);
  const [changes, logged] = [book.changes(), outcomes.flatMap(({ change }) => change ?? [])];
  const addsOnly = onlyAdds(changes, logged);
  await (addsOnly ? saveAddedRecords(client, changes.inserted) : saveRecords(client, changes));
  await saveMatchTokens(client, book.tokenChanges());
  const forgotten = await saveReferences(client, references.changes(), (uuid) => book.isStored(uuid));
  await saveEvents(
    client,
    outcomes.flatMap(({ event }) => event ?? []),
  );
  await saveDeliveries(client, numbered.deliveries);
  await advanceChannels(client, numbered.channels);
  await saveDecisionCounts(client, countDecisions(outcomes));
  if (!addsOnly) await logChanges(client, logged.map(toLoggedChange));
  return mendedBy(book, forgotten);
};

import { without, type ContentHashes } from '../routing/content-hashes.js';
import type { Crossing } from '../routing/crossing.js';
import type { KnownContent } from '../routing/known-content.js';

/**
 * The reported values that the adaptor still has when it has applied its messages: those of messages that it had certainly not
 * begun replace its own. It has kept its own against a message that it had begun.
 */
export const heldAfter = (reported: ContentHashes, crossing: Crossing | undefined): ContentHashes =>
  crossing === undefined
    ? reported
    : without(
        reported,
        crossing.unseen.flatMap(({ sequence, before }) => (sequence > crossing.seen.begun ? Object.keys(before) : [])),
      );

/**
 * The known content of an adaptor that has discovered a record of the data store. A message about such a record has the whole
 * record, so the values of the store count as known, and the values that the adaptor has instead count as skipped: its reports of
 * them are not changes, and the store's values are not sent to it, until they change again.
 */
export const discoveredContent = (known: KnownContent, held: ContentHashes, stored: ContentHashes): KnownContent => {
  const { sent, withheld, waiting, deletionSent } = known;
  const hashes = deletionSent ? stored : { ...stored, ...known.hashes };
  const names = Object.keys(held);
  const [skipped, failed] = deletionSent ? [{}, {}] : [without(known.skipped, names), without(known.failed, names)];
  const own = Object.fromEntries(Object.entries(held).filter(([name, hash]) => hashes[name] !== hash));
  return { hashes, failed, skipped: { ...skipped, ...own }, sent, withheld, waiting, deletionSent: false };
};

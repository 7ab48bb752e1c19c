import { nothingKnown, type KnownContent } from '../../domain/routing/known-content.js';
import { parseHashes, parseNote, writeHashes, writeNote } from './note-text.js';
import { parsePosition, writePosition } from './position-text.js';

/**
 * The known content as the columns `known_content` and `expected_content` hold it: a member for the hash of each property,
 * and these, whose names no property has.
 */
export type StoredContent = Readonly<Record<string, string>>;

/** `1`: a DELETE was sent. */
const deletionMember = '_fdsDeletionSent';
/** The notes about its messages. */
const sentMember = '_fdsSent';
/** The properties that it lacks. */
const withheldMember = '_fdsWithheld';
/** The values that it holds instead of those that it could not apply: as a note writes the hashes of properties. */
const failedMember = '_fdsFailed';
/** The former values of properties that it applied the rest of a message without. */
const skippedMember = '_fdsSkipped';
/** The positions of its events that wait. */
const waitingMember = '_fdsWaiting';

/** Reads what `encodeKnown` wrote. */
export const decodeKnown = (stored: StoredContent): KnownContent => {
  const {
    [deletionMember]: deletion,
    [sentMember]: sent,
    [withheldMember]: withheld,
    [waitingMember]: waiting,
    [failedMember]: failed,
    [skippedMember]: skipped,
    ...hashes
  } = stored;
  return {
    hashes,
    failed: failed === undefined ? nothingKnown.failed : parseHashes(failed.split(',')),
    skipped: skipped === undefined ? nothingKnown.skipped : parseHashes(skipped.split(',')),
    sent: sent === undefined ? nothingKnown.sent : sent.split('|').map(parseNote),
    withheld: withheld === undefined ? nothingKnown.withheld : withheld.split(',').map(decodeURIComponent),
    waiting: waiting === undefined ? nothingKnown.waiting : waiting.split(',').map(parsePosition),
    deletionSent: deletion !== undefined,
  };
};

/** The known content for its column. */
export const encodeKnown = (known: KnownContent): StoredContent => {
  const { hashes, failed, skipped, sent, withheld, waiting, deletionSent } = known;
  const stored: Record<string, string> = { ...hashes };
  if (deletionSent) stored[deletionMember] = '1';
  const failedText = writeHashes(failed);
  if (failedText !== '') stored[failedMember] = failedText;
  const skippedText = writeHashes(skipped);
  if (skippedText !== '') stored[skippedMember] = skippedText;
  if (sent.length > 0) stored[sentMember] = sent.map(writeNote).join('|');
  if (withheld.length > 0) stored[withheldMember] = withheld.map(encodeURIComponent).join();
  if (waiting.length > 0) stored[waitingMember] = waiting.map(writePosition).join();
  return stored;
};

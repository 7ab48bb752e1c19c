import { without, type ContentHashes } from './content-hashes.js';
import type { Seen } from './seen.js';
import type { SentNote } from './sent-note.js';

/** What an adaptor is known to hold of a record, and what it was sent about it. */
export interface KnownContent {
  /** The values that it holds once it has applied its messages. */
  readonly hashes: ContentHashes;
  /**
   * The values that it holds instead, because it could not apply the last message with a new one; an empty hash means no
   * value. The new values are still to be sent, and its reports of the former ones are not changes.
   */
  readonly failed: ContentHashes;
  /** Its recent messages about the record, oldest first. */
  readonly sent: readonly SentNote[];
  /**
   * Properties of a data-store record that it lacks, because governance kept back the last change of them. They stay with
   * those who may have them until they are changed again.
   */
  readonly withheld: readonly string[];
  /** The positions of its events that wait and concern the record, oldest first. */
  readonly waiting: readonly Seen[];
  /** It was sent a DELETE and has not reported it yet. Its content then counts as empty. */
  readonly deletionSent: boolean;
}

/** An adaptor that holds nothing and was sent nothing. */
export const nothingKnown: KnownContent = {
  hashes: {},
  failed: {},
  sent: [],
  withheld: [],
  waiting: [],
  deletionSent: false,
};

/** Was the adaptor told to delete the record? */
export const awaitsDeletion = (known: KnownContent | undefined): boolean => known?.deletionSent === true;

/** Does the content say anything that the adaptor is not known to hold? */
export const changes = (content: ContentHashes, known: KnownContent | undefined): boolean =>
  known === undefined || Object.keys(content).some((property) => content[property] !== known.hashes[property]);

/** The properties whose value the adaptor is not known to hold. An adaptor that was told to delete the record lacks all. */
export const newProperties = (content: ContentHashes, known: KnownContent | undefined): readonly string[] => {
  const names = Object.keys(content);
  if (known === undefined || known.deletionSent) return names;
  return names.filter((name) => content[name] !== known.hashes[name] || known.failed[name] !== undefined);
};

/** The properties of a report that only repeat the values from before a message that the adaptor could not apply. */
export const repeatsBeforeFailure = (reported: ContentHashes, known: KnownContent | undefined): readonly string[] =>
  known === undefined ? [] : Object.keys(known.failed).filter((name) => known.failed[name] === reported[name]);

/** The known content after the adaptor reported it, or after it was queued for the adaptor. */
export const overlay = (known: KnownContent | undefined, content: ContentHashes): KnownContent => {
  const { hashes, failed, sent, withheld, waiting, deletionSent } = known ?? nothingKnown;
  const isEmpty = known === undefined || deletionSent;
  return {
    hashes: isEmpty ? content : { ...hashes, ...content },
    failed: isEmpty ? nothingKnown.failed : without(failed, Object.keys(content)),
    sent,
    withheld,
    waiting,
    deletionSent: false,
  };
};

/** The content, with these properties as those that the adaptor lacks. */
export const withWithheld = (known: KnownContent, withheld: readonly string[]): KnownContent => {
  if (withheld.length === 0 && known.withheld.length === 0) return known;
  const { hashes, failed, sent, waiting, deletionSent } = known;
  return { hashes, failed, sent, withheld, waiting, deletionSent };
};

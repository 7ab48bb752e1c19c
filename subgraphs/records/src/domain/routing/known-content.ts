import type { ContentHashes } from './content-hashes.js';
import type { Seen } from './seen.js';
import type { SentNote } from './sent-note.js';

/** What an adaptor is known to hold of a record, and what it was sent about it. */
export interface KnownContent {
  /** Of the values that it holds. */
  readonly hashes: ContentHashes;
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
export const nothingKnown: KnownContent = { hashes: {}, sent: [], withheld: [], waiting: [], deletionSent: false };

/** Was the adaptor told to delete the record? */
export const awaitsDeletion = (known: KnownContent | undefined): boolean => known?.deletionSent === true;

/** Does the content say anything that the adaptor is not known to hold? */
export const changes = (content: ContentHashes, known: KnownContent | undefined): boolean =>
  known === undefined || Object.keys(content).some((property) => content[property] !== known.hashes[property]);

/** The properties whose value the adaptor is not known to hold. An adaptor that was told to delete the record lacks all. */
export const newProperties = (content: ContentHashes, known: KnownContent | undefined): readonly string[] => {
  const names = Object.keys(content);
  if (known === undefined || known.deletionSent) return names;
  return names.filter((name) => content[name] !== known.hashes[name]);
};

/** The known content after the adaptor reported it, or after it was queued for the adaptor. */
export const overlay = (known: KnownContent | undefined, content: ContentHashes): KnownContent => {
  const { hashes, sent, withheld, waiting, deletionSent } = known ?? nothingKnown;
  const isEmpty = known === undefined || deletionSent;
  return { hashes: isEmpty ? content : { ...hashes, ...content }, sent, withheld, waiting, deletionSent: false };
};

/** The content, with these properties as those that the adaptor lacks. */
export const withWithheld = (known: KnownContent, withheld: readonly string[]): KnownContent => {
  if (withheld.length === 0 && known.withheld.length === 0) return known;
  const { hashes, sent, waiting, deletionSent } = known;
  return { hashes, sent, withheld, waiting, deletionSent };
};

import { without, type ContentHashes } from './content-hashes.js';
import type { Seen } from './seen.js';
import type { SentNote } from './sent-note.js';

/** What an adaptor is known to hold of a record, and what it was sent about it. */
export interface KnownContent {
  /** The values that it holds once it has applied its messages. */
  readonly hashes: ContentHashes;
  /**
   * The values that it holds instead, because it could not apply the last message with a new one; an empty hash means no
   * value, and `unknownFormer` that the value is not known. The new values are still to be sent, and its reports of the former ones are not changes.
   */
  readonly failed: ContentHashes;
  /**
   * The former values of properties that it could not apply, although it applied the rest of the message. Its reports of them are
   * not changes. Its system does not take the new values, so they are not sent until they change again. `unknownFormer` as above.
   */
  readonly skipped: ContentHashes;
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
  skipped: {},
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

/** The properties of a report that only repeat the values from before a message that the adaptor could not apply, or not wholly. */
export const repeatsBeforeFailure = (reported: ContentHashes, known: KnownContent | undefined): readonly string[] =>
  known === undefined
    ? []
    : [known.failed, known.skipped].flatMap((former) =>
        Object.keys(former).filter((name) => former[name] === reported[name]),
      );

/** Stands for a former value that is not known. No hash equals it. */
export const unknownFormer = '?';

/**
 * The content with former values that were not known until a report shows them. The system of the adaptor did not take the new value, so
 * the first value that it reports is the former one. It is a change only where a report without an origin differs in nothing else: then a
 * user changed just this property.
 */
export const withShownFormer = (known: KnownContent, reported: ContentHashes, hasOrigin: boolean): KnownContent => {
  const former = { ...known.failed, ...known.skipped };
  const differs = (name: string): boolean => reported[name] !== known.hashes[name] && reported[name] !== former[name];
  const differing = Object.keys(reported).filter(differs);
  const shown = differing.filter((name) => former[name] === unknownFormer);
  if (shown.length === 0 || (!hasOrigin && shown.length === differing.length)) return known;
  const fill = (hashes: ContentHashes): ContentHashes =>
    Object.fromEntries(
      Object.entries(hashes).map(([name, hash]) => [name, shown.includes(name) ? (reported[name] ?? hash) : hash]),
    );
  return { ...known, failed: fill(known.failed), skipped: fill(known.skipped) };
};

/** The known content after the adaptor reported it. */
export const overlay = (known: KnownContent | undefined, content: ContentHashes): KnownContent => {
  const { hashes, failed, skipped, sent, withheld, waiting, deletionSent } = known ?? nothingKnown;
  const isEmpty = known === undefined || deletionSent;
  return {
    hashes: isEmpty ? content : { ...hashes, ...content },
    failed: isEmpty ? nothingKnown.failed : without(failed, Object.keys(content)),
    skipped: isEmpty ? nothingKnown.skipped : without(skipped, Object.keys(content)),
    sent,
    withheld,
    waiting,
    deletionSent: false,
  };
};

/** The content after a message was queued. A value that the adaptor could not apply and that the message only repeats stays skipped. */
export const afterMessage = (known: KnownContent | undefined, content: ContentHashes): KnownContent => {
  const next = overlay(known, content);
  if (known === undefined || known.deletionSent) return next;
  const repeated = Object.entries(known.skipped).filter(([name]) => content[name] === known.hashes[name]);
  return repeated.length === 0 ? next : { ...next, skipped: { ...next.skipped, ...Object.fromEntries(repeated) } };
};

/** The content, with these properties as those that the adaptor lacks. */
export const withWithheld = (known: KnownContent, withheld: readonly string[]): KnownContent => {
  if (withheld.length === 0 && known.withheld.length === 0) return known;
  const { hashes, failed, skipped, sent, waiting, deletionSent } = known;
  return { hashes, failed, skipped, sent, withheld, waiting, deletionSent };
};

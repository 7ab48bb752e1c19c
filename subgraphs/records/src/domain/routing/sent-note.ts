/** A note about a message that an adaptor was sent for a record. It is stored with the known content of the adaptor. */
export interface SentNote {
  /** Number of the message in the outbox. */
  readonly sequence: number;
  /** CONFIRMATION: the adaptor's own content, sent back because messages that it had not seen might overwrite it. */
  readonly kind: 'CHANGE' | 'CONFIRMATION' | 'DELETION';
  /** The properties that the message changes, with the hashes that were known before; an empty hash means no value. */
  readonly before: Readonly<Record<string, string>>;
  /** For a CONFIRMATION: the first message that can give the adaptor the values of `before` again. */
  readonly from?: number;
  /** The note stands for all messages from this number to its own; `before` then has the hashes from before the first one. */
  readonly mergedFrom?: number;
}

const headPattern = /^(\d+)(!?)(?:(~)(\d*))?(?:@(\d+))?$/u;

/** Parses the text of `writeNote`. */
export const parseNote = (text: string): SentNote => {
  const [head = '', ...members] = text.split(',');
  const [, sequence, deletion, merged, mergedFrom, from] = headPattern.exec(head) ?? [];
  const before = Object.fromEntries(
    members.map((each) => {
      const [name = '', hash = ''] = each.split('=');
      return [decodeURIComponent(name), hash];
    }),
  );
  return {
    sequence: Number(sequence),
    kind: deletion === '!' ? 'DELETION' : from === undefined ? 'CHANGE' : 'CONFIRMATION',
    before,
    ...(merged === undefined ? {} : { mergedFrom: Number(mergedFrom) }),
    ...(from === undefined ? {} : { from: Number(from) }),
  };
};

/** The note as text without `|`. */
export const writeNote = ({ sequence, kind, before, from, mergedFrom }: SentNote): string => {
  const merged = mergedFrom === undefined ? '' : `~${mergedFrom}`;
  const head = `${sequence}${kind === 'DELETION' ? '!' : ''}${merged}${from === undefined ? '' : `@${from}`}`;
  return [head, ...Object.entries(before).map(([name, hash]) => `${encodeURIComponent(name)}=${hash}`)].join();
};

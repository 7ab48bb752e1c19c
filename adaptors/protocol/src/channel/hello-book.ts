import type { Ack, Hello } from '../messages/positions.js';
import { fits, type Sender } from './sender.js';

/** The position of an end when it sends or reads a hello. */
export interface Standing {
  /** The sequence that it sends. */
  readonly sender: Pick<Sender, 'epoch' | 'acked' | 'last'>;
  /** The space that it receives; null when it has received nothing yet. */
  readonly receives: string | null;
}

/** A hello of the other end, as received. */
export interface HeardHello {
  /** The message's id. Copies of the message have the same id. */
  readonly id: string;
  /**
   * Id of the last hello that the other end had read when it sent this one, or its own id if it had read none. Absent
   * when the other end does not correlate.
   */
  readonly correlationid?: string | undefined;
  readonly hello: Hello;
}

interface SaidHello {
  readonly id: string;
  readonly epoch: string;
  readonly acked: number;
  readonly receives: string | null;
}

interface Doubt {
  /** The space that this end sends, and the position in it that the other end reported. */
  readonly epoch: string;
  readonly stands: number;
  readonly hello: Hello;
  readonly sinceMs: number;
}

/**
 * The hellos that two ends exchanged, as one end remembers them. The book distinguishes a lost state from a stale
 * hello: a hello may arrive late, twice, or after acknowledgements that were sent after it.
 */
export interface HelloBook {
  readonly said: readonly SaidHello[];
  /** Ids of received hellos, the newest last. */
  readonly heard: readonly string[];
  readonly doubt: Doubt | undefined;
  /** The last space of this end for which an acknowledgement was received. */
  readonly spokenIn: string | undefined;
}

export const emptyHelloBook: HelloBook = { said: [], heard: [], doubt: undefined, spokenIn: undefined };

/**
 * Order in which the other end's messages arrive. IN_ORDER: the other end is one process on one connection, like an
 * adaptor. ANY_ORDER: several processes may act for the other end, like for the server.
 */
export type SpeakingOrder = 'IN_ORDER' | 'ANY_ORDER';

export interface Verdict {
  /**
   * The decision about the space that this end sends. GO_ON: continue from the other end's position, or from the
   * acknowledged position if it is later. RENEW: the other end has lost its state; open a new space. KEEP: change
   * nothing.
   */
  readonly own: 'GO_ON' | 'RENEW' | 'KEEP';
  /**
   * The decision about the space that this end receives. TAKE: use the hello's `sendEpoch`. KEEP: the hello may be
   * older than the current space.
   */
  readonly theirs: 'TAKE' | 'KEEP';
  /** True: request another hello, whose answer resolves the doubt. */
  readonly ask: boolean;
  /** True: the hello answers a hello that this end sent. */
  readonly answers: boolean;
}

const remembered = 32;
/** A statement of an end that does not correlate is accepted after it stayed the same for this time. */
const doubtMs = 1_000;

const last = <T>(items: readonly T[], item: T): readonly T[] => [...items, item].slice(-remembered);

/** The `correlationid` for a hello that is sent now with this id. */
export const correlationOf = ({ heard }: HelloBook, id: string): string => heard.at(-1) ?? id;

/** Notes a hello that is sent now. */
export const saidHello = (book: HelloBook, { sender, receives }: Standing, id: string): HelloBook => ({
  ...book,
  said: last(book.said, { id, epoch: sender.epoch, acked: sender.acked, receives }),
});

/**
 * Notes an acknowledgement. It clears a doubt if it is beyond the doubted position: the other end has not lost its
 * state then.
 */
export const heardAck = (book: HelloBook, { epoch, upto }: Ack): HelloBook => {
  const refuted = book.doubt !== undefined && book.doubt.epoch === epoch && upto > book.doubt.stands;
  if (!refuted && book.spokenIn === epoch) return book;
  return { ...book, spokenIn: epoch, doubt: refuted ? undefined : book.doubt };
};

const sameHello = (one: Hello, other: Hello): boolean =>
  one.epoch === other.epoch && one.applied === other.applied && one.sendEpoch === other.sendEpoch;

/** Compares a hello with the two spaces of its reader. */
const compare = ({ sender, receives }: Standing, hello: Hello) => ({
  /** The position of the other end in the space that this end sends. */
  stands: hello.epoch === sender.epoch ? hello.applied : 0,
  /** The last message of that space that the other end has taken. */
  knows: hello.epoch === sender.epoch ? Math.max(hello.applied, hello.settled ?? 0) : 0,
  isFit: fits(sender, hello),
  isOtherSpace: receives !== null && hello.sendEpoch !== null && hello.sendEpoch !== receives,
});

/** May this end accept an unexpected hello without correlation? */
const isCredible = (
  book: HelloBook,
  standing: Standing,
  hello: Hello,
  { nowMs, order }: { readonly nowMs: number; readonly order: SpeakingOrder },
): boolean => {
  const { epoch } = standing.sender;
  const { doubt } = book;
  if (doubt?.epoch === epoch && sameHello(doubt.hello, hello) && nowMs - doubt.sinceMs >= doubtMs) return true;
  if (order === 'ANY_ORDER') return false;
  // either only the other end's own space is new, or the other end acknowledged messages of our space and no longer
  // knows it
  return compare(standing, hello).isFit || (book.spokenIn === epoch && hello.epoch !== epoch);
};

/**
 * Reads a hello (decision 36). The position of an end never goes back behind its acknowledgements unless the end lost
 * its state. So a hello with an earlier position means that the state is lost, or that the hello is stale. A hello that
 * answers one of ours was sent after ours: if its position is before the acknowledgements at that time, the state is
 * certainly lost; otherwise the hello is certainly stale.
 */
export const readHello = (
  book: HelloBook,
  standing: Standing,
  { id, correlationid, hello }: HeardHello,
  circumstances: { readonly nowMs: number; readonly order: SpeakingOrder },
): { readonly book: HelloBook; readonly verdict: Verdict } => {
  const { sender, receives } = standing;
  const answers = correlationid !== undefined && book.said.some((said) => said.id === correlationid);
  if (book.heard.includes(id)) return { book, verdict: { own: 'KEEP', theirs: 'KEEP', ask: false, answers } };

  const { stands, knows, isFit, isOtherSpace } = compare(standing, hello);
  const decide = (own: Verdict['own'], theirs: Verdict['theirs'], doubt?: Doubt) => ({
    book: {
      ...book,
      heard: last(book.heard, id),
      spokenIn: hello.epoch === sender.epoch ? sender.epoch : book.spokenIn,
      doubt,
    },
    verdict: { own, theirs, ask: doubt !== undefined, answers },
  });
  if (isFit && !isOtherSpace) return decide('GO_ON', 'TAKE');
  // the other end knows a message that this end does not: this end lost its own state, and the hello is not merely
  // stale
  const isImpossible = knows > sender.last;
  const proof = book.said.find(
    (said) => said.id === correlationid && said.epoch === sender.epoch && said.receives === receives,
  );
  if (proof !== undefined) return decide(isImpossible || stands < proof.acked ? 'RENEW' : 'GO_ON', 'TAKE');
  const correlates = correlationid !== undefined;
  if (!correlates && isCredible(book, standing, hello, circumstances)) return decide(isFit ? 'GO_ON' : 'RENEW', 'TAKE');

  const isRepeated = book.doubt?.epoch === sender.epoch && sameHello(book.doubt.hello, hello);
  return decide(
    isImpossible ? 'RENEW' : isFit ? 'GO_ON' : 'KEEP',
    isOtherSpace && (correlates || circumstances.order === 'ANY_ORDER') ? 'KEEP' : 'TAKE',
    isRepeated ? book.doubt : { epoch: sender.epoch, stands, hello, sinceMs: circumstances.nowMs },
  );
};

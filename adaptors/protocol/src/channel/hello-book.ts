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
  /** The message's id: copies of it have the same. */
  readonly id: string;
  /** The last hello that the other end had read when it sent this one, its own id for none; absent when it does not correlate. */
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
  /** The space that is sent, and where the other end says it stands in it. */
  readonly epoch: string;
  readonly stands: number;
  readonly hello: Hello;
  readonly sinceMs: number;
}

/**
 * Memory of the hellos between an end and the other one. It distinguishes a lost state from a stale hello: a hello may
 * arrive with a delay, twice, or behind acknowledgements that were sent after it.
 */
export interface HelloBook {
  readonly said: readonly SaidHello[];
  /** Ids, the newest at the end. */
  readonly heard: readonly string[];
  readonly doubt: Doubt | undefined;
  /** The last space in which the other end acknowledged something. */
  readonly spokenIn: string | undefined;
}

export const emptyHelloBook: HelloBook = { said: [], heard: [], doubt: undefined, spokenIn: undefined };

/**
 * How the other end's messages come. IN_ORDER: it is one process on one connection, as an adaptor is. ANY_ORDER: several
 * processes may act for it, as for the server.
 */
export type SpeakingOrder = 'IN_ORDER' | 'ANY_ORDER';

export interface Verdict {
  /**
   * The decision on the space that is sent. GO_ON: from the other end's position, or from the acknowledged position where
   * that is later. RENEW: the other end has lost its state; open a new space. KEEP: nothing follows from the hello.
   */
  readonly own: 'GO_ON' | 'RENEW' | 'KEEP';
  /** TAKE: the hello's `sendEpoch` holds. KEEP: it may be of before the space that is received now. */
  readonly theirs: 'TAKE' | 'KEEP';
  /** A doubt that the answer to another hello resolves. */
  readonly ask: boolean;
  /** It answers a hello that this end has said. */
  readonly answers: boolean;
}

const remembered = 32;
/** A statement of an end that does not correlate must stay the same for this time. */
const doubtMs = 1_000;

const last = <T>(items: readonly T[], item: T): readonly T[] => [...items, item].slice(-remembered);

/** The `correlationid` of a hello with that id that is sent now. */
export const correlationOf = ({ heard }: HelloBook, id: string): string => heard.at(-1) ?? id;

/** Notes a hello that is sent now. */
export const saidHello = (book: HelloBook, { sender, receives }: Standing, id: string): HelloBook => ({
  ...book,
  said: last(book.said, { id, epoch: sender.epoch, acked: sender.acked, receives }),
});

/** Notes an acknowledgement: an end that acknowledges messages beyond a doubted place has not lost its state. */
export const heardAck = (book: HelloBook, { epoch, upto }: Ack): HelloBook => {
  const refuted = book.doubt !== undefined && book.doubt.epoch === epoch && upto > book.doubt.stands;
  if (!refuted && book.spokenIn === epoch) return book;
  return { ...book, spokenIn: epoch, doubt: refuted ? undefined : book.doubt };
};

const sameHello = (one: Hello, other: Hello): boolean =>
  one.epoch === other.epoch && one.applied === other.applied && one.sendEpoch === other.sendEpoch;

/** The content of a hello about the reader's two spaces. */
const compare = ({ sender, receives }: Standing, hello: Hello) => ({
  /** The position of the other end in the space that is sent. */
  stands: hello.epoch === sender.epoch ? hello.applied : 0,
  isFit: fits(sender, hello),
  isOtherSpace: receives !== null && hello.sendEpoch !== null && hello.sendEpoch !== receives,
});

/** Is one that correlates nothing believed although it surprises? */
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
  // only its own space is new; or its acknowledgements came before, and it has forgotten the space since then
  return compare(standing, hello).isFit || (book.spokenIn === epoch && hello.epoch !== epoch);
};

/**
 * Reads a hello (decision 36). An end never goes back behind its acknowledgements, unless it lost its state; an end behind
 * them has lost its state, or its hello is old. A hello that names one of ours was sent after that: when it is behind the
 * acknowledgements before ours, the state is lost for certain, otherwise the hello is old for certain.
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

  const { stands, isFit, isOtherSpace } = compare(standing, hello);
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
  // a message that this end never sent was sent before it lost its own state: age does not explain it
  const isImpossible = stands > sender.last;
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

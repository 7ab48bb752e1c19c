import { isJsonObject, parseJson, stringifyJson, type JsonObject, type JsonValue } from '@fds/json';
import type { DestinationNote, NotSentReason, RemovedProperty } from '../routing/destination-note.js';
import type { AcceptedEvent, DeliveredAction, EventOutcome } from './event-outcome.js';

/** A record that an algorithm of matching compared with an event. */
interface KeptCandidate {
  readonly drUuid: string;
  /** The adaptor whose key was compared; null: the record's own. */
  readonly adaptorUuid: string | null;
  readonly score: number | null;
  readonly comparisons: readonly JsonValue[];
}

/** The data that explain an event, in addition to its own. */
export interface Explanation {
  /** Between arrival and decision. Undefined: not known. */
  readonly waitedMs: number | undefined;
  /** The issue with which it waited. */
  readonly issueUuid: string | undefined;
  /** The person who made it. */
  readonly writerUuid: string | undefined;
  /** Undefined: the operational chain was not asked. A null entry: none decided. */
  readonly operation: { readonly aclUuid: string | null } | undefined;
  readonly candidates: readonly KeptCandidate[];
  /** Adaptors that were sent a message as it usually is have no note, nor has the source. */
  readonly notes: readonly DestinationNote[];
}

/** Most candidates that are kept. */
export const maxCandidates = 10;
/** Most characters of the comparisons of one candidate; longer ones are left out. */
const maxComparisons = 2_000;

const letters: Readonly<Record<NotSentReason, string>> = {
  SOURCE: 'S',
  DISCOVERY: 'D',
  ECHO: 'E',
  OPERATIONAL: 'O',
  INACTIVE: 'I',
  NOT_CAPABLE: 'C',
  DENIED: 'X',
  NOTHING_NEW: 'N',
  TOO_LARGE: 'L',
};
const reasons: ReadonlyMap<string, NotSentReason> = new Map(
  Object.entries(letters).map(([reason, letter]) => [letter, reason as NotSentReason]),
);
/** The letter of a reason in the text of an explanation. Undefined: explanations have no such reason. */
export const letterOf = (reason: string): string | undefined =>
  Object.hasOwn(letters, reason) ? letters[reason as NotSentReason] : undefined;
const actions: ReadonlyMap<string, DeliveredAction> = new Map([
  ['P', 'POST'],
  ['U', 'PUT'],
  ['R', 'DELETE'],
]);
const actionLetters = { POST: 'P', PUT: 'U', DELETE: 'R' } as const;
/** A sent message has this place instead of a reason. */
const sent = '-';

const idLength = 22;

/** When a uuid of version 7 was made, epoch milliseconds. */
export const timeOfUuid = (uuid: string): number => Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);

/** A uuid in 22 characters, as explanations have it. */
export const shortUuid = (uuid: string): string => Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url');

const longUuid = (short: string): string => {
  const hex = Buffer.from(short, 'base64url').toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

const chainLetters = { INBOUND: 'i', OUTBOUND: 'o' } as const;

const writeEntry = (chain: RemovedProperty['chain'], aclUuid: string | null): string =>
  chain === null || aclUuid === null ? '' : `${chainLetters[chain]}${shortUuid(aclUuid)}`;

const readEntry = (text: string): Pick<RemovedProperty, 'chain' | 'aclUuid'> =>
  text === ''
    ? { chain: null, aclUuid: null }
    : { chain: text.startsWith('i') ? 'INBOUND' : 'OUTBOUND', aclUuid: longUuid(text.slice(1)) };

const isSame = (a: readonly string[], b: readonly string[] | undefined): boolean =>
  b !== undefined && a.length === b.length && a.every((name, index) => name === b[index]);

/** Does a note say only what the message and its event say? */
const isUsual = ({ reason, changed, removed }: DestinationNote, event: AcceptedEvent): boolean =>
  reason === 'SOURCE'
    ? event.sourceAdaptorUuid !== null
    : reason === null &&
      (removed === undefined || removed.length === 0) &&
      (changed === undefined || isSame(changed, event.changed));

/** The members of a note apart from its adaptor. Equal ones are written once. */
const writeDecision = ({ reason, action, by, changed, removed = [] }: DestinationNote): JsonObject => {
  const entries = new Map<string, string[]>();
  for (const { property, chain, aclUuid } of removed) {
    const entry = writeEntry(chain, aclUuid);
    entries.set(entry, [...(entries.get(entry) ?? []), property]);
  }
  return {
    k: `${reason === null ? sent : letters[reason]}${action === undefined ? '' : actionLetters[action]}`,
    ...(by === undefined ? {} : { b: writeEntry(by.chain, by.aclUuid) }),
    ...(changed === undefined ? {} : { c: [...changed] }),
    ...(entries.size === 0 ? {} : { x: [...entries].map(([entry, names]) => [entry, ...names]) }),
  };
};

const writeNotes = (notes: readonly DestinationNote[], event: AcceptedEvent): JsonObject[] => {
  const groups = new Map<string, { readonly decision: JsonObject; adaptors: string }>();
  for (const note of notes) {
    if (isUsual(note, event)) continue;
    const decision = writeDecision(note);
    const key = stringifyJson(decision);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { decision, adaptors: shortUuid(note.adaptorUuid) });
    else group.adaptors += shortUuid(note.adaptorUuid);
  }
  return [...groups.values()].map(({ decision, adaptors }) => ({ ...decision, a: adaptors }));
};

const writeCandidates = (candidates: NonNullable<EventOutcome['candidates']>): JsonValue[] =>
  candidates.slice(0, maxCandidates).map(({ uuid, adaptorUuid, score, comparisons }) => {
    const compared: readonly object[] = comparisons;
    const text = stringifyJson(compared);
    return [uuid, adaptorUuid, score, text.length > maxComparisons ? [] : parseJson(text)];
  });

/**
 * The compact text that is kept with an event. It leaves out the content of the other columns and of the messages.
 */
export const writeExplanation = (event: AcceptedEvent, outcome: EventOutcome): string => {
  const { notes = [], operation, candidates = [], way } = outcome;
  const groups = writeNotes(notes, event);
  return stringifyJson({
    ...(way?.receivedAt === undefined ? {} : { w: Math.max(0, timeOfUuid(event.uuid) - way.receivedAt) }),
    ...(way?.issueUuid === undefined ? {} : { i: shortUuid(way.issueUuid) }),
    ...(event.writerUuid === undefined ? {} : { u: shortUuid(event.writerUuid) }),
    ...(operation === undefined
      ? {}
      : { o: operation.applied === undefined ? '' : shortUuid(operation.applied.aclUuid) }),
    ...(candidates.length === 0 ? {} : { m: writeCandidates(candidates) }),
    ...(groups.length === 0 ? {} : { d: groups }),
  });
};

const textOf = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);
const textsOf = (value: JsonValue | undefined): string[] => listOf(value).filter((each) => typeof each === 'string');

const readCandidate = (value: JsonValue): KeptCandidate[] => {
  const [drUuid, adaptorUuid, score, comparisons] = listOf(value);
  if (typeof drUuid !== 'string') return [];
  return [
    {
      drUuid,
      adaptorUuid: textOf(adaptorUuid) ?? null,
      score: score === null || score === undefined ? null : Number(score),
      comparisons: listOf(comparisons),
    },
  ];
};

const readNotes = (group: JsonValue): DestinationNote[] => {
  if (!isJsonObject(group)) return [];
  const [kind, adaptors] = [textOf(group['k']) ?? '', textOf(group['a']) ?? ''];
  const entry = textOf(group['b']);
  const by = entry === undefined ? undefined : readEntry(entry);
  const removed = listOf(group['x']).flatMap((of) => {
    const [written = '', ...properties] = textsOf(of);
    const decided = readEntry(written);
    return properties.map((property) => ({ property, ...decided }));
  });
  const decision: Omit<DestinationNote, 'adaptorUuid'> = {
    reason: reasons.get(kind.charAt(0)) ?? null,
    action: actions.get(kind.charAt(1)),
    by:
      by === undefined || by.chain === null || by.aclUuid === null
        ? undefined
        : { chain: by.chain, aclUuid: by.aclUuid },
    changed: group['c'] === undefined ? undefined : textsOf(group['c']),
    removed,
  };
  const notes: DestinationNote[] = [];
  for (let at = 0; at + idLength <= adaptors.length; at += idLength) {
    notes.push({ adaptorUuid: longUuid(adaptors.slice(at, at + idLength)), ...decision });
  }
  return notes;
};

const uuidOf = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' ? longUuid(value) : undefined;

/** Reads the text that `writeExplanation` returns. */
export const readExplanation = (text: string): Explanation => {
  const value = parseJson(text);
  const kept = isJsonObject(value) ? value : {};
  const operation = textOf(kept['o']);
  const waited = kept['w'];
  return {
    waitedMs: waited === undefined ? undefined : Number(waited),
    issueUuid: uuidOf(kept['i']),
    writerUuid: uuidOf(kept['u']),
    operation: operation === undefined ? undefined : { aclUuid: operation === '' ? null : longUuid(operation) },
    candidates: listOf(kept['m']).flatMap(readCandidate),
    notes: listOf(kept['d']).flatMap(readNotes),
  };
};

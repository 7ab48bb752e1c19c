import type { AskedQuestion, SentMessage } from './answer-writer.js';

/** A record in an answer, not validated. */
export interface OracleRecord {
  readonly drUuid?: string;
  readonly drKey: Readonly<Record<string, unknown>>;
  readonly data: Record<string, unknown> | null;
  readonly lastUpdated?: number;
  readonly additionalParams?: Record<string, unknown>;
  readonly timestamps?: readonly number[];
}

interface OraclePart {
  readonly part: number;
  readonly last: boolean;
  readonly records: readonly OracleRecord[];
  readonly timestamps?: readonly number[];
}

/** A question and the parts that have arrived for it. */
export interface OracleQuestion {
  readonly question: AskedQuestion;
  state: 'WAITING' | 'ANSWERED' | 'FAILED' | 'DOWN';
  readonly parts: Map<number, OraclePart>;
  bytes: number;
}

const parse = (payload: string): Record<string, unknown> | undefined => {
  try {
    return (JSON.parse(payload) as { data?: Record<string, unknown> }).data;
  } catch {
    return undefined;
  }
};

const isComplete = (parts: ReadonlyMap<number, OraclePart>): boolean => {
  for (let part = 1; ; part += 1) {
    const there = parts.get(part);
    if (there === undefined) return false;
    if (there.last) return true;
  }
};

/** Applies a message to the waiting questions. */
export const receive = (
  questions: readonly OracleQuestion[],
  { adaptorUuid, kind, payload }: SentMessage,
  maxAnswerBytes: number,
): void => {
  const data = parse(payload);
  if (kind === 'status') {
    const own = questions.filter(({ question }) => question.adaptorUuid === adaptorUuid);
    for (const question of own) if (question.state === 'WAITING') question.state = 'DOWN';
    return;
  }
  const waiting = questions.find(
    ({ question, state }) =>
      state === 'WAITING' && question.adaptorUuid === adaptorUuid && question.requestUuid === data?.['requestUuid'],
  );
  if (data === undefined || waiting === undefined) return;
  if (!Array.isArray(data['records']) || data['error'] !== undefined) {
    waiting.state = 'FAILED';
    return;
  }
  const part = data as unknown as OraclePart;
  if (waiting.parts.has(part.part)) return;
  waiting.bytes += payload.length;
  waiting.parts.set(part.part, part);
  if (waiting.bytes > maxAnswerBytes) waiting.state = 'FAILED';
  else if (isComplete(waiting.parts)) waiting.state = 'ANSWERED';
};

const orderedParts = ({ parts }: OracleQuestion): OraclePart[] =>
  [...parts.values()].sort((one, other) => one.part - other.part);

/** The first record in an answer that is the requested one; undefined when the answer leaves it out. */
export const answeredRecord = (answered: OracleQuestion, recordUuid: string): OracleRecord | undefined => {
  const asked = answered.question.records.find(({ drUuid }) => drUuid === recordUuid);
  return orderedParts(answered)
    .flatMap(({ records }) => records)
    .find(({ drUuid, drKey }) =>
      drUuid === undefined ? drKey['id'] === asked?.drKey['id'] : drUuid.toLowerCase() === recordUuid,
    );
};

/** Timestamps next to the records; undefined when no part has any. */
export const timestampsOf = (answered: OracleQuestion): number[] | undefined => {
  const lists = orderedParts(answered).flatMap(({ timestamps }) => (timestamps === undefined ? [] : [timestamps]));
  return lists.length === 0 ? undefined : lists.flat();
};

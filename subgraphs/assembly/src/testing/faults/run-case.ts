import type { AssembledRecord, AssemblyLine, AssemblyResponse } from '@fds/assembly-contract';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { createRandom, type Random } from '@fds/testing';
import { stateMessage, writeAnswer, writeNoise, type AskedQuestion, type SentMessage } from './answer-writer.js';
import { applyLines } from './apply-lines.js';
import type { AssemblyCase } from './assembly-case.js';
import { callerOf, maxAnswerBytes, type FaultStage } from './fault-stage.js';
import { createOracle, type Oracle } from './oracle.js';
import type { World } from './world.js';

/** Both answers in the form in which they must be equal. */
export interface CaseOutcome {
  readonly expected: unknown;
  readonly actual: unknown;
}

type Answer = Pick<AssemblyResponse, 'assembledDataRecords' | 'completeness'>;

const byUuid = (one: { readonly uuid: string }, other: { readonly uuid: string }): number =>
  one.uuid < other.uuid ? -1 : 1;

const comparable = ({ assembledDataRecords, completeness }: Answer): object => ({
  records: assembledDataRecords.map((record) => ({ ...record, adaptors: record.adaptors.toSorted(byUuid) })),
  completeness: completeness
    .map(({ milliseconds: _milliseconds, ...rest }) => rest)
    .toSorted((one, other) => ((one.adaptorUuid ?? 'z') < (other.adaptorUuid ?? 'z') ? -1 : 1)),
});

/** Mixes messages of several senders and keeps the order of each sender. */
const interleaved = (random: Random, sequences: readonly (readonly SentMessage[])[]): SentMessage[] => {
  const left = sequences.map((sequence) => [...sequence]).filter(({ length }) => length > 0);
  const messages: SentMessage[] = [];
  while (left.length > 0) {
    const place = random.below(left.length);
    const message = left[place]?.shift();
    if (message !== undefined) messages.push(message);
    if (left[place]?.length === 0) left.splice(place, 1);
  }
  return messages;
};

const deadlineMs = 20_000;

/** An assembly in progress. */
interface Running {
  /** Settles when the assembly ends, and never rejects. */
  readonly over: Promise<unknown>;
  isOver(): boolean;
}

/** Messages for the questions of an assembly. */
interface Script {
  readonly questions: AskedQuestion[];
  readonly inTime: readonly SentMessage[];
  readonly late: readonly SentMessage[];
}

/** Waits until the engine has sent all questions that the oracle expects, and writes the messages of the adaptors. */
const writeScript = async (
  stage: FaultStage,
  world: World,
  { request, behaviours }: AssemblyCase,
  oracle: Oracle,
  random: Random,
  { over, isOver }: Running,
): Promise<Script> => {
  const questions: AskedQuestion[] = [];
  const startedAt = performance.now();
  while (questions.flatMap(({ records }) => records).length < oracle.asks.size && !isOver()) {
    if (performance.now() - startedAt > deadlineMs) throw new Error('the questions were not asked');
    await Promise.race([over, wait(1)]);
    questions.push(...stage.takeQuestions());
  }
  const placeOf = ({ adaptorUuid, records: [first] }: AskedQuestion): string => adaptorUuid + (first?.drUuid ?? '');
  const inOrder = questions.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  oracle.begin(inOrder);
  const isSearch = request.additionalParams?.['timestamp-search'] === true;
  const written = inOrder.map((question) => ({
    ...writeAnswer(random, question, behaviours.get(question.adaptorUuid) ?? 'ANSWER', world, isSearch),
    noise: writeNoise(random, question, world),
  }));
  return {
    questions,
    inTime: interleaved(
      random,
      written.flatMap(({ inTime, noise }) => [inTime, noise]),
    ),
    // at the end, all adaptors that went down are up again
    late: written.flatMap(({ late }, index) => [
      ...late,
      stateMessage(inOrder[index]?.adaptorUuid ?? '', random.uuid(), 'STARTED'),
    ]),
  };
};

const turns = async (count: number, isOver: () => boolean = () => false): Promise<void> => {
  for (let turn = 0; turn < count && !isOver(); turn += 1) await nextTurn();
};

/** The records of all questions, to prove that nothing is asked for twice. */
const askedOf = (questions: readonly AskedQuestion[]): unknown =>
  sortedEntries(
    questions.flatMap(({ adaptorUuid, records, requestedProperties }) =>
      records.map(({ drUuid }) => [`${adaptorUuid} ${drUuid}`, requestedProperties] as const),
    ),
  );

const sortedEntries = (entries: Iterable<readonly [string, unknown]>): (readonly [string, unknown])[] =>
  [...entries].sort(([one], [other]) => (one < other ? -1 : 1));

/**
 * Runs a case against the engine, message by message. After each message the oracle decides whether the answer must
 * have been sent.
 *
 * @throws when the engine fails, or does not send the questions
 */
export const runCase = async (
  stage: FaultStage,
  world: World,
  given: AssemblyCase,
  seed: number,
): Promise<CaseOutcome> => {
  const random = createRandom(seed);
  const oracle = createOracle(world, given, maxAnswerBytes);
  let answer: AssemblyResponse | undefined;
  let failure: unknown;
  const over = stage.subgraph.assembler.assemble(given.request, callerOf(world, given.roles)).then(
    (response) => (answer = response),
    (error: unknown) => (failure = error),
  );
  const isOut = (): boolean => answer !== undefined || failure !== undefined;
  const { questions, inTime, late } = await writeScript(stage, world, given, oracle, random, { over, isOver: isOut });

  const release: unknown[] = [];
  const expectedRelease: unknown[] = [];
  const look = async (after: string): Promise<boolean> => {
    if (oracle.asks.size === 0) await over;
    await turns(3);
    release.push([after, isOut()]);
    expectedRelease.push([after, oracle.isReleased()]);
    return oracle.isReleased() || isOut();
  };
  let sent = 0;
  let isOver = await look('the questions');
  for (const message of inTime) {
    if (isOver) break;
    stage.deliver(message);
    oracle.deliver(message);
    sent += 1;
    isOver = await look(`message ${sent}`);
  }
  const expected = oracle.answer();
  if (!isOver) stage.runOut();
  await turns(3, isOut);
  for (const message of [...inTime.slice(sent), ...late]) stage.deliver(message);
  await nextTurn();
  questions.push(...stage.takeQuestions());
  if (failure !== undefined) throw failure;
  return {
    expected: { ...expected, asked: sortedEntries(oracle.asks), release: expectedRelease },
    actual: { ...(answer === undefined ? {} : comparable(answer)), asked: askedOf(questions), release },
  };
};

/**
 * Runs a case against a progressive answer to its end. Applied in order, the lines must result in the plain answer at
 * the time-out.
 *
 * @throws when the engine fails, or does not send the questions
 */
export const runProgressiveCase = async (
  stage: FaultStage,
  world: World,
  given: AssemblyCase,
  seed: number,
): Promise<CaseOutcome> => {
  const random = createRandom(seed);
  const oracle = createOracle(world, given, maxAnswerBytes);
  const lines: AssemblyLine[] = [];
  let failure: unknown;
  let ended = false;
  const read = async (): Promise<void> => {
    for await (const line of stage.subgraph.assembler.assembleProgressively(
      given.request,
      callerOf(world, given.roles),
    )) {
      // a line is sent over the wire, so later changes of its object must have no effect
      lines.push(JSON.parse(JSON.stringify(line)) as AssemblyLine);
    }
  };
  const over = read()
    .catch((error: unknown) => (failure = error))
    .finally(() => (ended = true));
  const { questions, inTime, late } = await writeScript(stage, world, given, oracle, random, {
    over,
    isOver: () => ended,
  });
  for (const message of inTime) {
    stage.deliver(message);
    oracle.deliver(message);
    await turns(random.below(3));
  }
  await turns(3);
  stage.runOut();
  await over;
  for (const message of late) stage.deliver(message);
  questions.push(...stage.takeQuestions());
  if (failure !== undefined) throw failure;
  const { records, end } = applyLines(lines);
  return {
    expected: { ...oracle.answer(), asked: sortedEntries(oracle.asks) },
    actual: {
      ...comparable({ assembledDataRecords: records as AssembledRecord[], completeness: end.completeness }),
      asked: askedOf(questions),
    },
  };
};

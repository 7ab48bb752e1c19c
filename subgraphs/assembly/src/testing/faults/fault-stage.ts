import type { UpHandler, UpObserver } from '@fds/adaptor-bus';
import { parseMessage } from '@fds/adaptor-protocol';
import type { Principal } from '@fds/auth';
import { compileDataAccess, type AccessRule } from '@fds/access-rules';
import type { Database } from '@fds/database';
import { createLog } from '@fds/service';
import { v7 as newUuid } from 'uuid';
import type { QuestionBus } from '../../bus/create-adaptor-questions.js';
import { createAssemblySubgraph, type AssemblySubgraph } from '../../create-assembly-subgraph.js';
import type { AskedQuestion, SentMessage } from './answer-writer.js';
import type { World } from './world.js';

/** Smaller than a huge answer, and far larger than any other. */
export const maxAnswerBytes = 250_000;

/** The real engine, on a bus whose answers a test sends, and with a timer that a test ends. */
export interface FaultStage {
  readonly subgraph: AssemblySubgraph;
  /** Questions since the last call. */
  takeQuestions(): AskedQuestion[];
  deliver(message: SentMessage): void;
  /** Answers every question at once from now on. */
  answerAtOnce(write: (question: AskedQuestion) => SentMessage): void;
  runOut(): void;
}

export const openFaultStage = (database: Database): FaultStage => {
  let handler: UpHandler | undefined;
  let observer: UpObserver | undefined;
  let questions: AskedQuestion[] = [];
  let answerOf: ((question: AskedQuestion) => SentMessage) | undefined;
  const deliver: FaultStage['deliver'] = ({ adaptorUuid, kind, payload }) => {
    const message = { adaptorUuid, kind, payload: Buffer.from(payload) };
    if (kind === 'rsp') void handler?.(message);
    else observer?.(message);
  };
  const timers = new Set<() => void>();
  const bus: QuestionBus = {
    replyInstance: 'test',
    handle: (kind, given) => {
      if (kind === 'rsp') handler = given;
    },
    observe: (kind, given) => {
      if (kind === 'status') observer = given;
    },
    publish: (adaptorUuid, _kind, payload) => {
      const request = parseMessage('down/req', Buffer.from(payload));
      if (!request.ok) throw new Error('a request is not valid');
      const { requestUuid, records, requestedProperties } = request.value.data;
      const question = { adaptorUuid, requestUuid, records: records ?? [], requestedProperties };
      if (answerOf === undefined) questions.push(question);
      else deliver(answerOf(question));
      return Promise.resolve();
    },
  };
  const subgraph = createAssemblySubgraph({
    database,
    bus,
    answerLimits: { maxAnswerBytes },
    // the circuits never open, so that the cases do not affect each other
    circuitSettings: { failures: Number.MAX_SAFE_INTEGER },
    startTimer: (callback) => {
      timers.add(callback);
      return () => timers.delete(callback);
    },
    log: createLog('silent'),
    now: () => new Date(),
    newUuid: () => newUuid(),
  });
  return {
    subgraph,
    takeQuestions: () => {
      const taken = questions;
      questions = [];
      return taken;
    },
    deliver,
    answerAtOnce: (write) => {
      answerOf = write;
    },
    runOut: () => {
      for (const callback of timers) callback();
    },
  };
};

/** A caller in the asking zone. @param roles undefined when the caller may see everything */
export const callerOf = (
  { zoneUuids, adaptors }: World,
  roles: readonly (readonly AccessRule[])[] | undefined,
): Principal => ({
  kind: 'PERSON',
  uuid: newUuid(),
  username: 'ada',
  zones: [
    {
      zoneUuid: zoneUuids[0],
      zoneName: 'Z',
      zoneUserUuid: newUuid(),
      default: true,
      knowsPerson: true,
      roles: [],
      groups: [],
    },
  ],
  defaultZoneUuid: zoneUuids[0],
  permits: () => true,
  ...(roles === undefined
    ? {}
    : { dataAccess: compileDataAccess(roles, new Map(adaptors.map(({ uuid, zoneUuid }) => [uuid, zoneUuid]))) }),
});

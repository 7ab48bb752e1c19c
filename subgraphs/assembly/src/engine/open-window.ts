import type { Log } from '@fds/service';
import type { RequestShare } from '../bounds/answer-budget.js';
import type { AdaptorQuestions } from '../bus/adaptor-questions.js';
import type { CataloguedRecord } from '../store/record-store.js';
import { askAdaptor } from './ask-adaptor.js';
import { timestampSearchOf } from '../domain/temporal-parameters.js';
import { createRecordMerger, type RecordMerger } from './record-merger.js';
import { openGathering, type Gathering } from './gathering.js';
import type { AssemblyScope } from './plan/assembly-scope.js';
import type { Deadline } from './plan/deadline.js';
import { planFanOut } from './plan/plan-fan-out.js';
import type { SourcePlan } from './plan/plan-sources.js';
import type { StartTimer } from './start-timer.js';

export interface WindowDependencies {
  readonly questions: AdaptorQuestions;
  readonly startTimer: StartTimer;
  readonly log: Log;
}

/** The adaptors, the time, the memory and the signal of a window. */
export interface WindowSurroundings {
  readonly sources: SourcePlan;
  readonly deadline: Deadline;
  readonly share: RequestShare;
  readonly signal: AbortSignal;
}

/** Federated records that are assembled together, with one message to each adaptor that has any of them. */
export interface AssemblyWindow {
  /** The owner of the window closes it. */
  readonly gathering: Gathering;
  /** Merges the gathered answers into some of the window's records. */
  readonly merge: RecordMerger;
  /** Uuids of the adaptors from which the caller may not get the records. */
  readonly denied: readonly string[];
}

/** Plans the fan-out of some records and sends the questions. */
export const openWindow = (
  { questions, startTimer, log }: WindowDependencies,
  scope: AssemblyScope,
  records: readonly CataloguedRecord[],
  { sources, deadline, share, signal }: WindowSurroundings,
): AssemblyWindow => {
  const { request, restriction } = scope;
  const recordUuids = records.map(({ uuid }) => uuid);
  const plan = planFanOut(scope, sources, records);
  const gathering = openGathering(plan.enquiries, {
    policy: request.releasePolicy,
    recordUuids,
    timeoutMs: Math.floor(deadline.remainingMs()),
    startTimer,
    signal,
    ask: askAdaptor(questions, scope, { records, visible: plan.visible }, share),
    onFailure: (source, failure) =>
      log.warn({ adaptorUuid: source.adaptorUuid, err: failure }, 'an adaptor failed to answer an assembly request'),
  });
  return {
    gathering,
    merge: createRecordMerger({
      policy: request.releasePolicy,
      plan: scope.merge,
      provenance: request.options?.provenance === true,
      timestampSearch: timestampSearchOf(request.additionalParams),
      visible: plan.visible,
      restriction,
    }),
    denied: plan.denied,
  };
};

import type { AssemblyResponse } from '@fds/assembly-contract';
import type { Database } from '@fds/database';
import type { Log } from '@fds/service';
import type { RequestShare } from '../bounds/answer-budget.js';
import type { AdaptorQuestions } from '../bus/adaptor-questions.js';
import type { CataloguedRecord } from '../store/record-store.js';
import { askAdaptor } from './ask-adaptor.js';
import { timestampSearchOf } from '../domain/temporal-parameters.js';
import { createRecordMerger, type RecordMerger } from './record-merger.js';
import { openGathering, type Gathered, type Gathering } from './gathering.js';
import type { AssemblyScope } from './plan/assembly-scope.js';
import { planFanOut } from './plan/plan-fan-out.js';

export interface WindowDependencies {
  readonly database: Database;
  readonly questions: AdaptorQuestions;
  readonly log: Log;
}

/** Memory and life of a window. */
export interface WindowSurroundings {
  readonly share: RequestShare;
  readonly signal: AbortSignal;
}

export type Completeness = AssemblyResponse['completeness'][number];

/** Federated records that are assembled together: one message to each adaptor that holds any of them. */
export interface AssemblyWindow {
  /** Its owner closes it. */
  readonly gathering: Gathering;
  /** Merges what is gathered into some of the window's records. */
  readonly merge: RecordMerger;
  completeness(gathered: readonly Gathered[]): Completeness[];
}

const toCompleteness = ({ source, outcome, milliseconds }: Gathered): Completeness => ({
  adaptorUuid: source.adaptorUuid,
  tier: source.tier,
  outcome: outcome === 'PENDING' ? 'LATE' : outcome,
  milliseconds,
});

/** Denied adaptors are counted, not named (decisions, section 11). */
const deniedCompleteness: Completeness = { adaptorUuid: null, tier: null, outcome: 'DENIED', milliseconds: 0 };

/** Plans the fan-out of some records and sends the questions. */
export const openWindow = async (
  { database, questions, log }: WindowDependencies,
  scope: AssemblyScope,
  records: readonly CataloguedRecord[],
  { share, signal }: WindowSurroundings,
): Promise<AssemblyWindow> => {
  const { request, restriction } = scope;
  const recordUuids = records.map(({ uuid }) => uuid);
  const plan = await planFanOut(database, scope, recordUuids);
  const gathering = openGathering(plan.enquiries, {
    policy: request.releasePolicy,
    recordUuids,
    timeoutMs: request.timeout * 1000,
    signal,
    ask: askAdaptor(questions, scope, plan, share),
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
      holdings: plan.holdings,
      visible: plan.visible,
      restriction,
    }),
    completeness: (gathered) => [
      ...gathered.map(toCompleteness),
      ...Array.from({ length: plan.deniedCount }, () => deniedCompleteness),
    ],
  };
};

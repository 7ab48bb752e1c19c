import type { Assembler, AssemblyRequest } from '@fds/assembly-contract';
import type { Principal } from '@fds/auth';
import type { AnswerBudget, RequestShare } from '../bounds/answer-budget.js';
import { effectiveRequest, mostRecords } from '../domain/effective-request.js';
import { planMerge } from '../domain/merge-plan.js';
import { readRequestedProperties } from '../domain/requested-properties.js';
import { restrictionOf } from '../domain/restriction.js';
import { selectRecords } from '../store/record-store.js';
import type { VersionStore } from '../store/version-store.js';
import { assemblePage } from './assemble-page.js';
import type { WindowDependencies } from './open-window.js';
import type { AssemblyScope } from './plan/assembly-scope.js';
import { recordSelection } from './plan/record-selection.js';
import { requireVersion, type Asking } from './plan/require-version.js';
import { assembleLines } from './progressive/assemble-lines.js';
import { responseFrame } from './response-frame.js';

export interface AssemblerDependencies extends WindowDependencies {
  readonly versions: VersionStore;
  readonly budget: AnswerBudget;
  readonly newUuid: () => string;
}

const neverAborted = new AbortController().signal;

/** The assembly engine: which records, whom to ask, wait by the policy, merge. */
export const createAssembler = (dependencies: AssemblerDependencies): Assembler => {
  const { database, budget, newUuid } = dependencies;

  const scopeOf = async (request: AssemblyRequest, asking: Asking, maxSize: number): Promise<AssemblyScope> => {
    const effective = effectiveRequest(request, asking.principal, maxSize);
    const version = await requireVersion(dependencies, effective, asking);
    const requested = readRequestedProperties(effective.requestedProperties, version.model.properties);
    return {
      request: effective,
      version,
      restriction: restrictionOf(asking.principal, version),
      merge: planMerge(requested, version.model),
    };
  };

  /** The share is given back when the answers are merged. */
  const withShare = async <T>({ uuid }: Principal, work: (share: RequestShare) => Promise<T>): Promise<T> => {
    const share = budget.open(uuid);
    try {
      return await work(share);
    } finally {
      share.close();
    }
  };

  return {
    assemble: async (request, principal, signal = neverAborted) => {
      const searches = database.searches.sessionOf({ key: principal.uuid, signal });
      const scope = await scopeOf(request, { principal, searches }, mostRecords.plain);
      const page = await selectRecords(searches, recordSelection(scope));
      const assembled = await withShare(principal, (share) =>
        assemblePage(dependencies, scope, page, { share, signal }),
      );
      return { ...responseFrame(newUuid(), scope, page.totalElements), ...assembled };
    },
    assembleProgressively: async function* (request, principal, signal = neverAborted) {
      const searches = database.searches.sessionOf({ key: principal.uuid, signal });
      const scope = await scopeOf(request, { principal, searches }, mostRecords.progressive);
      yield* assembleLines(dependencies, scope, {
        uuid: newUuid(),
        searches,
        openShare: () => budget.open(principal.uuid),
        signal,
      });
    },
  };
};

import type { Assembler } from '@fds/assembly-contract';
import type { Principal } from '@fds/auth';
import type { Database } from '@fds/database';
import type { AnswerBudget, RequestShare } from '../bounds/answer-budget.js';
import { mostRecords } from '../domain/effective-request.js';
import { selectRecords } from '../store/record-store.js';
import { assemblePage } from './assemble-page.js';
import { planRequest } from './plan/plan-request.js';
import { assembleLines } from './progressive/assemble-lines.js';
import { openRecordWindows } from './progressive/record-windows.js';
import type { ReferenceDependencies } from './references/open-answer-references.js';
import { responseFrame } from './response-frame.js';

export interface AssemblerDependencies extends ReferenceDependencies {
  readonly database: Pick<Database, 'reads' | 'searches'>;
  readonly budget: AnswerBudget;
  readonly newUuid: () => string;
}

const neverAborted = new AbortController().signal;

/** The assembly engine: selects records and adaptors, waits by the policy, and merges. */
export const createAssembler = (dependencies: AssemblerDependencies): Assembler => {
  const { database, budget, newUuid } = dependencies;

  /** The share is given back after the answers are merged. */
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
      const asking = { principal, searches };
      const { scope, records, sources, deadline } = await planRequest(dependencies, request, {
        asking,
        maxSize: mostRecords.plain,
        select: (selection) => selectRecords(searches, selection),
      });
      const assembled = await withShare(principal, (share) =>
        assemblePage(dependencies, scope, records, { sources, deadline, share, signal, asking }),
      );
      return { ...responseFrame(newUuid(), scope, records.totalElements), ...assembled };
    },
    assembleProgressively: async function* (request, principal, signal = neverAborted) {
      const searches = database.searches.sessionOf({ key: principal.uuid, signal });
      const asking = { principal, searches };
      const plan = await planRequest(dependencies, request, {
        asking,
        maxSize: mostRecords.progressive,
        select: (selection) => openRecordWindows(searches, selection),
      });
      yield* assembleLines(dependencies, plan, {
        uuid: newUuid(),
        asking,
        signal,
      });
    },
  };
};

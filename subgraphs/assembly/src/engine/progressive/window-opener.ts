import type { AnswerBudget } from '../../bounds/answer-budget.js';
import { expandsReferences } from '../../domain/references/expands-references.js';
import { openWindow } from '../open-window.js';
import { createDeadline } from '../plan/deadline.js';
import { planSources } from '../plan/plan-sources.js';
import type { RequestPlan } from '../plan/plan-request.js';
import type { Asking } from '../plan/require-version.js';
import { openAnswerReferences, type ReferenceDependencies } from '../references/open-answer-references.js';
import type { RecordWindows } from './record-windows.js';
import { createWindowRun, type WindowRun } from './window-run.js';
import { createWindowSize } from './window-size.js';

export interface LineDependencies extends ReferenceDependencies {
  readonly budget: AnswerBudget;
}

/** Opens the windows of a progressive answer one after the other. */
export interface WindowOpener {
  open(): Promise<WindowRun>;
}

/** A window should leave room for the other windows in progress. */
const shareOfRequest = 4;

/**
 * Each window has its own time-out and share of memory, and decides again which adaptors may be asked. A window waits
 * while other requests of the caller or of the process use the memory.
 */
export const createWindowOpener = (
  dependencies: LineDependencies,
  plan: RequestPlan<RecordWindows>,
  { asking, signal }: { readonly asking: Asking; readonly signal: AbortSignal },
): WindowOpener => {
  const { budget, catalog } = dependencies;
  const { scope, records: windows } = plan;
  const callerUuid = asking.principal.uuid;
  const timeoutMs = scope.request.timeout * 1000;
  const size = createWindowSize(budget.limits.maxRequestBytes / shareOfRequest);
  let isFirst = true;
  let nextIndex = 0;

  return {
    open: async () => {
      if (!isFirst)
        await budget.untilRoom(
          callerUuid,
          size.expectedBytes(),
          AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        );
      signal.throwIfAborted();
      const [deadline, planned] = isFirst
        ? [plan.deadline, plan.sources]
        : [createDeadline(timeoutMs), catalog.decide((facts) => planSources(facts, scope))];
      isFirst = false;
      const [records, sources] = await deadline.within(Promise.all([windows.next(size.next()), planned]));
      const firstIndex = nextIndex;
      nextIndex += records.length;
      const share = budget.open(callerUuid);
      try {
        const window = openWindow(dependencies, scope, records, { sources, deadline, share, signal });
        const references = expandsReferences(scope.request)
          ? openAnswerReferences(dependencies, scope, { asking, deadline, share, signal, until: 'END' })
          : undefined;
        references?.adopt(window, records);
        return createWindowRun(scope, window, records, firstIndex, references, () => {
          size.learn(records.length, share.most());
          share.close();
        });
      } catch (error) {
        share.close();
        throw error;
      }
    },
  };
};

import type { AssemblyLine } from '@fds/assembly-contract';
import type { Queryable } from '@fds/database';
import type { RequestShare } from '../../bounds/answer-budget.js';
import { mostRecords } from '../../domain/effective-request.js';
import { selectRecords } from '../../store/record-store.js';
import { openWindow, type Completeness, type WindowDependencies } from '../open-window.js';
import type { AssemblyScope } from '../plan/assembly-scope.js';
import { recordSelection } from '../plan/record-selection.js';
import { responseFrame } from '../response-frame.js';
import { storedRecords } from '../stored-records.js';
import { totalCompleteness } from './total-completeness.js';
import { windowLines } from './window-lines.js';

export interface LineSurroundings {
  /** The session for the caller's searches. */
  readonly searches: Queryable;
  /** The response's uuid. */
  readonly uuid: string;
  /** Opens the memory of one window. */
  readonly openShare: () => RequestShare;
  readonly signal: AbortSignal;
}

/** A progressive answer: the records window by window, then the rest of the response. */
export async function* assembleLines(
  dependencies: WindowDependencies,
  scope: AssemblyScope,
  { uuid, searches, openShare, signal }: LineSurroundings,
): AsyncGenerator<AssemblyLine> {
  const selection = recordSelection(scope);
  const completeness: Completeness[][] = [];
  let totalElements = 0;
  for (let first = 0; first < selection.limit; first += mostRecords.plain) {
    signal.throwIfAborted();
    const limit = Math.min(mostRecords.plain, selection.limit - first);
    const page = await selectRecords(searches, { ...selection, offset: selection.offset + first, limit });
    totalElements = page.totalElements;
    if (scope.version.domainType === 'SERVICE_DATA_STORE') {
      const { assembledDataRecords } = storedRecords(page, scope);
      for (const [place, record] of assembledDataRecords.entries()) yield { record, index: first + place };
    } else {
      const share = openShare();
      try {
        const window = await openWindow(dependencies, scope, page.records, { share, signal });
        try {
          completeness.push(window.completeness(yield* windowLines(scope, window, page.records, first)));
        } finally {
          window.gathering.close();
        }
      } finally {
        share.close();
      }
    }
    if (page.records.length < limit) break;
  }
  yield { ...responseFrame(uuid, scope, totalElements), completeness: totalCompleteness(completeness) };
}

import type { AssemblyLine } from '@fds/assembly-contract';
import type { Queryable } from '@fds/database';
import { createCompletenessTotal } from '../completeness.js';
import type { RequestPlan } from '../plan/plan-request.js';
import { responseFrame } from '../response-frame.js';
import { storedRecords } from '../stored-records.js';
import { openRecordWindows, type RecordWindows } from './record-windows.js';
import { createWindowOpener, type LineDependencies } from './window-opener.js';
import type { WindowRun } from './window-run.js';

export interface LineSurroundings {
  /** The response's uuid. */
  readonly uuid: string;
  readonly callerUuid: string;
  /** The session for the caller's searches. */
  readonly searches: Queryable;
  readonly signal: AbortSignal;
}

/** Windows whose questions are under way at once: given records of earlier ones may still change. */
const maxWindows = 3;
const storedWindow = 1_000;

async function* storedLines({ scope }: RequestPlan, windows: RecordWindows): AsyncGenerator<AssemblyLine> {
  let index = 0;
  while (windows.hasNext()) {
    const records = await windows.next(storedWindow);
    const page = { records, totalElements: windows.totalElements };
    for (const record of storedRecords(page, scope).assembledDataRecords) {
      yield { record, index };
      index += 1;
    }
  }
}

/** A progressive answer: the records window by window, then the rest of the response. */
export async function* assembleLines(
  dependencies: LineDependencies,
  plan: RequestPlan,
  { uuid, callerUuid, searches, signal }: LineSurroundings,
): AsyncGenerator<AssemblyLine> {
  const { scope } = plan;
  const [windows] = await plan.deadline.within(
    Promise.all([openRecordWindows(searches, plan.selection), plan.sources]),
  );
  const total = createCompletenessTotal();
  const end = (): AssemblyLine => ({
    ...responseFrame(uuid, scope, windows.totalElements),
    completeness: total.entries(),
  });
  if (scope.version.domainType === 'SERVICE_DATA_STORE') {
    yield* storedLines(plan, windows);
    yield end();
    return;
  }

  const ended = new AbortController();
  const opener = createWindowOpener(dependencies, plan, windows, {
    callerUuid,
    signal: AbortSignal.any([signal, ended.signal]),
  });
  let active: readonly WindowRun[] = [];
  let opening: Promise<void> | undefined;
  /** Starts the next window as soon as the records of the others are given, so that it is planned while the client reads. */
  const openNext = (): void => {
    if (opening !== undefined || !windows.hasNext() || active.length >= maxWindows) return;
    if (!active.every((run) => run.isGiven())) return;
    opening = opener.open().then((run) => {
      active = [...active, run];
      opening = undefined;
    });
    // awaited below; the consumer may pause before that
    opening.catch(() => undefined);
  };

  try {
    for (;;) {
      const lines = active.flatMap((run) => run.takeLines());
      openNext();
      for (const line of lines) {
        signal.throwIfAborted();
        yield line;
      }
      for (const run of active.filter((one) => one.isOver())) {
        total.add(run.outcome());
        run.close();
      }
      active = active.filter((run) => !run.isOver());
      openNext();
      if (active.length === 0 && opening === undefined) break;
      await Promise.race([...(opening === undefined ? [] : [opening]), ...active.map((run) => run.changed())]);
    }
    yield end();
  } finally {
    ended.abort();
    await opening?.catch(() => undefined);
    for (const run of active) run.close();
  }
}

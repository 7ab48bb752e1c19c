import type { AssemblyLine } from '@fds/assembly-contract';
import { expandsReferences } from '../../domain/references/expands-references.js';
import { createCompletenessTotal, type CompletenessTotal } from '../completeness.js';
import { createDeadline } from '../plan/deadline.js';
import type { RequestPlan } from '../plan/plan-request.js';
import type { Asking } from '../plan/require-version.js';
import { createQueue } from '../queue.js';
import { openAnswerReferences } from '../references/open-answer-references.js';
import { responseFrame } from '../response-frame.js';
import { storedRecords } from '../stored-records.js';
import { createGivenRecords } from './given-records.js';
import type { RecordWindows } from './record-windows.js';
import { createWindowOpener, type LineDependencies } from './window-opener.js';
import type { WindowRun } from './window-run.js';

export interface LineSurroundings {
  /** The response's uuid. */
  readonly uuid: string;
  readonly asking: Asking;
  readonly signal: AbortSignal;
}

/** New lines of a window. */
interface WindowEvent {
  readonly run: WindowRun;
  readonly lines: readonly AssemblyLine[];
}

/** Most windows whose questions are in progress at once. Records of earlier windows that were sent may still change. */
const maxWindows = 3;
const storedWindow = 1_000;

interface StoredLines {
  readonly windows: RecordWindows;
  readonly total: CompletenessTotal;
  readonly surroundings: LineSurroundings;
}

async function* storedLines(
  dependencies: LineDependencies,
  { scope }: Pick<RequestPlan<unknown>, 'scope'>,
  { windows, total, surroundings: { asking, signal } }: StoredLines,
): AsyncGenerator<AssemblyLine> {
  let first = 0;
  while (windows.hasNext()) {
    const records = await windows.next(storedWindow);
    const page = { records, totalElements: windows.totalElements };
    const { assembledDataRecords } = storedRecords(page, scope);
    const share = dependencies.budget.open(asking.principal.uuid);
    const deadline = createDeadline(scope.request.timeout * 1000);
    const references = expandsReferences(scope.request)
      ? openAnswerReferences(dependencies, scope, { asking, deadline, share, signal, until: 'END' })
      : undefined;
    try {
      const given = createGivenRecords(references);
      yield* await given.give(
        records.flatMap((catalogued, place) => {
          const record = assembledDataRecords[place];
          return record === undefined ? [] : [{ record, catalogued, index: first + place }];
        }),
      );
      for (;;) {
        await references?.settled();
        const changes = await given.refresh();
        if (changes === undefined) break;
        yield* changes;
      }
      for (const outcome of references?.outcomes() ?? []) total.add(outcome);
    } finally {
      references?.close();
      share.close();
    }
    first += records.length;
  }
}

/** A progressive answer: the records of one window after the other, then the rest of the response. */
export async function* assembleLines(
  dependencies: LineDependencies,
  plan: RequestPlan<RecordWindows>,
  surroundings: LineSurroundings,
): AsyncGenerator<AssemblyLine> {
  const { uuid, asking, signal } = surroundings;
  const { scope, records: windows } = plan;
  const total = createCompletenessTotal();
  const end = (): AssemblyLine => ({
    ...responseFrame(uuid, scope, windows.totalElements),
    completeness: total.entries(),
  });
  if (scope.version.domainType === 'SERVICE_DATA_STORE') {
    yield* storedLines(dependencies, plan, { windows, total, surroundings });
    yield end();
    return;
  }

  const ended = new AbortController();
  const opener = createWindowOpener(dependencies, plan, {
    asking,
    signal: AbortSignal.any([signal, ended.signal]),
  });
  const active = new Set<WindowRun>();
  const events = createQueue<WindowEvent>();
  let isOpening = false;
  let opening: Promise<void> | undefined;
  /** Takes the next lines of a window as soon as there may be any. Windows do not wait for each other. */
  const follow = (run: WindowRun, since: Promise<void>): void => {
    since
      .then(() => run.takeLines())
      .then(
        (lines) => events.add({ run, lines }),
        (error: unknown) => events.fail(error),
      );
  };
  /** Starts the next window as soon as all records of the others are sent, so that it is planned while the client reads. */
  const openNext = (): void => {
    if (isOpening || !windows.hasNext() || active.size >= maxWindows) return;
    if (![...active].every((run) => run.isGiven())) return;
    isOpening = true;
    opening = opener.open().then(
      (run) => {
        isOpening = false;
        active.add(run);
        follow(run, Promise.resolve());
      },
      (error: unknown) => events.fail(error),
    );
  };

  try {
    openNext();
    for (;;) {
      const { run, lines } = await events.next();
      openNext();
      for (const line of lines) {
        signal.throwIfAborted();
        yield line;
      }
      if (run.isOver()) {
        for (const outcome of run.outcomes()) total.add(outcome);
        run.close();
        active.delete(run);
      } else follow(run, run.changed());
      openNext();
      if (active.size === 0 && !isOpening) break;
    }
    yield end();
  } finally {
    ended.abort();
    await opening;
    for (const run of active) run.close();
  }
}

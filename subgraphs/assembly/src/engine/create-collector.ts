import type { CollectedAnswer, CollectedQuestion, CollectedRecord, RecordCollector } from '@fds/assembly-contract';
import { mostRecords } from '../domain/effective-request.js';
import { readRecordAnswer } from '../domain/record-answer.js';
import type { Source } from '../domain/source.js';
import { mayAsk } from '../domain/visibility.js';
import type { CataloguedRecord, RecordHolding } from '../store/record-store.js';
import { askAdaptor } from './ask-adaptor.js';
import type { AssemblerDependencies } from './create-assembler.js';
import { openGathering, type Gathered, type Gathering } from './gathering.js';
import type { AssemblyScope } from './plan/assembly-scope.js';
import { planFanOut, type FanOutPlan } from './plan/plan-fan-out.js';
import { planRequest } from './plan/plan-request.js';

const neverAborted = new AbortController().signal;

/** The asked records with the adaptors that are asked for them, whether these link them or not. */
const recordsOf = (questions: readonly CollectedQuestion[]): readonly CataloguedRecord[] => {
  const records = new Map<string, CataloguedRecord & { readonly holdings: Map<string, RecordHolding> }>();
  for (const { adaptorUuid, records: asked } of questions) {
    for (const { drUuid: uuid, drKey } of asked) {
      const record = records.get(uuid) ?? {
        uuid,
        drKey,
        json: null,
        lastUpdated: 0,
        keyHolder: null,
        holdings: new Map(),
      };
      records.set(uuid, record);
      record.holdings.set(adaptorUuid, { drKey, lastUpdated: 0, isDown: false });
    }
  }
  return [...records.values()];
};

const untilOver = async (gathering: Gathering): Promise<readonly Gathered[]> => {
  try {
    while (!gathering.isOver()) await gathering.changed(gathering.gathered());
    return gathering.gathered();
  } finally {
    gathering.close();
  }
};

const readRecords = (
  { merge }: AssemblyScope,
  { visible }: FanOutPlan,
  { source, sent }: Gathered,
): ReadonlyMap<string, CollectedRecord> => {
  const records = new Map<string, CollectedRecord>();
  for (const [uuid, record] of sent) {
    const { data } = record;
    if (data === null) continue;
    const answer = readRecordAnswer(
      { ...record, data },
      { source, plan: merge, visible: visible(source, uuid), knownChange: 0 },
    );
    records.set(uuid, { values: Object.fromEntries(answer.values), lastUpdated: record.lastUpdated });
  }
  return records;
};

/** A failure of an adaptor to answer. */
interface Failure {
  readonly reason: string;
  readonly isTooLarge: boolean;
}

const tooLarge: ReadonlySet<string> = new Set(['QUESTION_TOO_LARGE', 'ANSWER_TOO_LARGE']);

const readFailure = (failure: unknown): Failure => {
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : undefined;
  if (code === undefined) return { reason: 'it could not be asked', isTooLarge: false };
  return { reason: `the answer is the error ${code}`, isTooLarge: tooLarge.has(code) };
};

const unansweredReason = { LATE: 'it did not answer in time', DOWN: 'it is not connected' } as const;

const answerOf = (
  scope: AssemblyScope,
  plan: FanOutPlan,
  {
    question,
    source,
    gathered,
    failures,
  }: {
    readonly question: CollectedQuestion;
    readonly source: Source;
    /** Undefined: it was asked for nothing. */
    readonly gathered: Gathered | undefined;
    readonly failures: ReadonlyMap<string, Failure>;
  },
): CollectedAnswer => {
  const { adaptorUuid, tier } = source;
  const denied = new Set(
    question.records.flatMap(({ drUuid }) => (mayAsk(scope.merge, plan.visible(source, drUuid)) ? [] : [drUuid])),
  );
  if (gathered === undefined) return { adaptorUuid, tier, outcome: 'ANSWERED', records: new Map(), denied };
  const outcome = gathered.outcome === 'PENDING' ? 'LATE' : gathered.outcome;
  const failure = failures.get(adaptorUuid);
  const reason = outcome === 'LATE' || outcome === 'DOWN' ? unansweredReason[outcome] : failure?.reason;
  const records = outcome === 'ANSWERED' ? readRecords(scope, plan, gathered) : new Map<string, CollectedRecord>();
  return { adaptorUuid, tier, outcome, reason, isTooLarge: failure?.isTooLarge === true, records, denied };
};

/** The collector of the engine: adaptors are found, governed and asked as for an assembly, and their answers stay apart. */
export const createCollector = (dependencies: AssemblerDependencies): RecordCollector => ({
  collect: async ({ zoneUuid, domain, versionNumber, timeout, questions }, principal, signal = neverAborted) => {
    const records = recordsOf(questions);
    if (records.length === 0) return [];
    const searches = dependencies.database.searches.sessionOf({ key: principal.uuid, signal });
    const { scope, sources, deadline } = await planRequest(
      dependencies,
      {
        zoneUuid,
        domain,
        versionNumber,
        timeout,
        adaptors: questions.map(({ adaptorUuid }) => adaptorUuid),
        drUuids: records.map(({ uuid }) => uuid),
        page: 0,
        size: records.length,
      },
      {
        asking: { principal, searches },
        maxSize: mostRecords.plain,
        asksHolders: true,
        select: () => Promise.resolve({ records, totalElements: records.length }),
      },
    );
    const plan = planFanOut(scope, sources, records);
    const failures = new Map<string, Failure>();
    const share = dependencies.budget.open(principal.uuid);
    try {
      const gathering = openGathering(plan.enquiries, {
        policy: scope.request.releasePolicy,
        recordUuids: records.map(({ uuid }) => uuid),
        timeoutMs: Math.floor(deadline.remainingMs()),
        startTimer: dependencies.startTimer,
        signal,
        ask: askAdaptor(dependencies.questions, scope, { records, visible: plan.visible }, share),
        onFailure: ({ adaptorUuid }, failure) => {
          failures.set(adaptorUuid, readFailure(failure));
          dependencies.log.warn({ adaptorUuid, err: failure }, 'an adaptor failed to answer for a reconciliation');
        },
      });
      const gathered = new Map((await untilOver(gathering)).map((each) => [each.source.adaptorUuid, each]));
      return questions.flatMap((question): CollectedAnswer[] => {
        const source = sources.sources.find(({ adaptorUuid }) => adaptorUuid === question.adaptorUuid);
        if (source === undefined) return [];
        return [answerOf(scope, plan, { question, source, gathered: gathered.get(source.adaptorUuid), failures })];
      });
    } finally {
      share.close();
    }
  },
});

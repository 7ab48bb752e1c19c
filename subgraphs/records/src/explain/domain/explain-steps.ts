import { isJsonObject, parseJson } from '@fds/json';
import { timeOfUuid, type Explanation } from '../../domain/events/explanation.js';
import type { KeptEvent } from './kept-event.js';
import type { ExplainedCandidate, ExplainedStep } from './explained.js';

/** The first attempt of an event: it became an issue. */
interface FirstAttempt {
  readonly issue: {
    readonly uuid: string;
    readonly title: string;
    readonly exception: string | null;
    readonly cause: string | null;
    /** JSON text of a list. */
    readonly errors: string | null;
  };
  readonly candidates: readonly ExplainedCandidate[];
}

const invalid: ReadonlySet<string> = new Set(['FAULTY', 'UNREADABLE', 'UNKNOWN_VERSION', 'NOT_VALID']);

const entryOf = /^entry ([0-9a-f-]{36}) of the operational chain/;

/** The entry of the operational chain that denied an event. Undefined: the chain is not the reason. */
export const operationalDenial = (errors: string | null): { readonly aclUuid: string | null } | undefined => {
  const faults = errors === null ? undefined : parseJson(errors);
  if (!Array.isArray(faults)) return undefined;
  for (const fault of faults as readonly unknown[]) {
    if (!isJsonObject(fault) || fault['code'] !== 'OPERATIONAL_DENIED') continue;
    const { detail } = fault;
    return { aclUuid: (typeof detail === 'string' ? entryOf.exec(detail)?.[1] : undefined) ?? null };
  }
  return undefined;
};

/** The steps of an event that became an issue. */
export const stepsOfIssue = ({ issue, candidates }: FirstAttempt, algorithm: string): readonly ExplainedStep[] => {
  const at = new Date(timeOfUuid(issue.uuid));
  const received: ExplainedStep = { stage: 'RECEIVED', at, outcome: null, detail: null };
  if (invalid.has(issue.cause ?? '') || issue.exception === 'PARSING') {
    return [received, { stage: 'VALIDATED', at, outcome: 'FAULTY', detail: issue.title }];
  }
  const valid: ExplainedStep = { stage: 'VALIDATED', at, outcome: 'VALID', detail: null };
  if (issue.exception === 'MATCHING') {
    const detail = issue.title;
    return [received, valid, { stage: 'MATCHED', at, outcome: 'AMBIGUOUS', detail, algorithm, candidates }];
  }
  const denial = operationalDenial(issue.errors);
  return denial === undefined
    ? [received, valid]
    : [received, valid, { stage: 'OPERATIONAL', at, outcome: 'DENIED', detail: issue.title, ...denial }];
};

const matchDetail = (event: KeptEvent, isNew: boolean): string => {
  if (event.matchStatus === 'PRESUMED_MATCH') return 'The match is presumed';
  return isNew ? 'No record matches' : 'One record matches';
};

/** The steps of an event that was accepted, in the order of time. */
export const explainSteps = (
  event: KeptEvent,
  explanation: Explanation | undefined,
  { algorithm, first }: { readonly algorithm: string; readonly first: FirstAttempt | undefined },
): readonly ExplainedStep[] => {
  const decided = timeOfUuid(event.uuid);
  const at = new Date(decided);
  const isNew = event.action === 'POST';
  const candidates = explanation?.candidates ?? [];
  const known =
    isNew || candidates.length > 0
      ? candidates
      : [{ drUuid: event.recordUuid, adaptorUuid: null, score: null, comparisons: [] }];
  const received = new Date(decided - (explanation?.waitedMs ?? 0));
  const begun =
    first === undefined
      ? [{ stage: 'RECEIVED', at: received, outcome: null, detail: null } as const]
      : stepsOfIssue(first, algorithm);
  return [
    ...begun,
    { stage: 'VALIDATED', at, outcome: 'VALID', detail: null },
    {
      stage: 'MATCHED',
      at,
      outcome: isNew ? 'NEW' : 'KNOWN',
      detail: matchDetail(event, isNew),
      algorithm,
      candidates: known,
    },
    ...(explanation?.operation === undefined
      ? []
      : [{ stage: 'OPERATIONAL', at, outcome: 'ALLOWED', detail: null, ...explanation.operation } as const]),
    ...(event.sourceAdaptorUuid === null || event.action === 'DELETE'
      ? []
      : [{ stage: 'LINKED', at, outcome: 'LINKED', detail: null } as const]),
    {
      stage: 'COMMITTED',
      at: new Date(Math.max(decided, event.dateCreated?.getTime() ?? 0)),
      outcome: 'COMMITTED',
      detail: null,
    },
  ];
};

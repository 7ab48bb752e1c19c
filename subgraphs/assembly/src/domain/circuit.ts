/** When a circuit opens, and for how long. */
export interface CircuitSettings {
  /** Consecutive failures after which it opens. */
  readonly failures: number;
  /** Time that it stays open before a question may probe. */
  readonly coolDownMs: number;
}

/** Callers whose questions failed: none, one or several. */
type FailedFor = { readonly kind: 'NONE' | 'SEVERAL' } | { readonly kind: 'ONE'; readonly callerUuid: string };

/**
 * Decides whether an adaptor is asked. CLOSED: it is asked. OPEN: it counts as down until `untilMs`. HALF_OPEN: one
 * question was let through to try; `untilMs` is also the time at which another question may probe, if the current probe
 * has no outcome.
 */
export type Circuit =
  | { readonly state: 'CLOSED'; readonly failures: number; readonly failedFor: FailedFor }
  | { readonly state: 'OPEN' | 'HALF_OPEN'; readonly untilMs: number; readonly failedFor: FailedFor };

/** ASKED: asked normally. PROBE: let through as a probe. REFUSED: the adaptor counts as down. */
export type Admission = 'ASKED' | 'PROBE' | 'REFUSED';

/** The outcome of a question. NONE: no caller waited long enough for a verdict. */
export interface Verdict {
  readonly outcome: 'ANSWERED' | 'FAILED' | 'NONE';
  readonly admission: Exclude<Admission, 'REFUSED'>;
  readonly callerUuid: string;
  readonly nowMs: number;
}

export const closedCircuit: Circuit = { state: 'CLOSED', failures: 0, failedFor: { kind: 'NONE' } };

const alsoFailedFor = (failedFor: FailedFor, callerUuid: string): FailedFor => {
  if (failedFor.kind === 'NONE') return { kind: 'ONE', callerUuid };
  return failedFor.kind === 'ONE' && failedFor.callerUuid === callerUuid ? failedFor : { kind: 'SEVERAL' };
};

/**
 * May the adaptor be asked for the caller? A circuit that opened because of one caller's questions is open for that
 * caller only, so that questions that cannot succeed do not affect other callers.
 */
export const admit = (
  circuit: Circuit,
  callerUuid: string,
  { nowMs, coolDownMs }: { readonly nowMs: number; readonly coolDownMs: number },
): { readonly circuit: Circuit; readonly admission: Admission } => {
  if (circuit.state === 'CLOSED') return { circuit, admission: 'ASKED' };
  const { failedFor, untilMs } = circuit;
  if (failedFor.kind === 'ONE' && failedFor.callerUuid !== callerUuid) return { circuit, admission: 'ASKED' };
  if (nowMs < untilMs) return { circuit, admission: 'REFUSED' };
  return { circuit: { state: 'HALF_OPEN', untilMs: nowMs + coolDownMs, failedFor }, admission: 'PROBE' };
};

const failed = (circuit: Circuit, { admission, callerUuid, nowMs }: Verdict, settings: CircuitSettings): Circuit => {
  const failedFor = alsoFailedFor(circuit.failedFor, callerUuid);
  const untilMs = nowMs + settings.coolDownMs;
  if (circuit.state === 'CLOSED') {
    const failures = circuit.failures + 1;
    return failures >= settings.failures
      ? { state: 'OPEN', untilMs, failedFor }
      : { state: 'CLOSED', failures, failedFor };
  }
  // a question from before it opened has no new information
  return admission === 'PROBE' ? { state: 'OPEN', untilMs, failedFor } : { ...circuit, failedFor };
};

/** The circuit after the verdict on a question. Any answer closes it. */
export const afterVerdict = (circuit: Circuit, verdict: Verdict, settings: CircuitSettings): Circuit => {
  if (verdict.outcome === 'ANSWERED') return closedCircuit;
  if (verdict.outcome === 'FAILED') return failed(circuit, verdict, settings);
  return verdict.admission === 'PROBE' && circuit.state === 'HALF_OPEN'
    ? { ...circuit, state: 'OPEN', untilMs: verdict.nowMs }
    : circuit;
};

/** When a receiver counts as down, and for how long. */
export interface ReceiverCircuitPolicy {
  /** Failures one after the other, with no success in between. */
  readonly failures: number;
  /** First wait before one message tries again. It doubles with each failed try. */
  readonly coolDownMs: number;
  readonly maxCoolDownMs: number;
}

/**
 * Decides whether a receiver is worth a message. CLOSED: it is. OPEN: not before `untilMs`. HALF_OPEN: one message tries;
 * another one may at `untilMs`, should that one have no outcome.
 */
export type ReceiverCircuit =
  | { readonly state: 'CLOSED'; readonly failures: number }
  | { readonly state: 'OPEN' | 'HALF_OPEN'; readonly untilMs: number; readonly coolDownMs: number };

export const closedReceiverCircuit: ReceiverCircuit = { state: 'CLOSED', failures: 0 };

export const defaultReceiverCircuitPolicy: ReceiverCircuitPolicy = {
  failures: 5,
  coolDownMs: 5_000,
  maxCoolDownMs: 300_000,
};

/** SEND: as usual. PROBE: one message tries. WAIT: not before `untilMs`. */
export type ReceiverAdmission =
  { readonly kind: 'SEND' | 'PROBE' } | { readonly kind: 'WAIT'; readonly untilMs: number };

/** May a message be sent now? The circuit that results is kept also when nothing is sent. */
export const admitToReceiver = (
  circuit: ReceiverCircuit,
  nowMs: number,
): { readonly circuit: ReceiverCircuit; readonly admission: ReceiverAdmission } => {
  if (circuit.state === 'CLOSED') return { circuit, admission: { kind: 'SEND' } };
  const { untilMs, coolDownMs } = circuit;
  if (nowMs < untilMs) return { circuit, admission: { kind: 'WAIT', untilMs } };
  return {
    circuit: { state: 'HALF_OPEN', untilMs: nowMs + coolDownMs, coolDownMs },
    admission: { kind: 'PROBE' },
  };
};

/** The circuit after a message failed. Messages that were on their way when it opened do not prolong the wait. */
export const afterReceiverFailure = (
  circuit: ReceiverCircuit,
  nowMs: number,
  policy: ReceiverCircuitPolicy,
): ReceiverCircuit => {
  const open = (coolDownMs: number): ReceiverCircuit => ({ state: 'OPEN', untilMs: nowMs + coolDownMs, coolDownMs });
  if (circuit.state === 'CLOSED') {
    const failures = circuit.failures + 1;
    return failures >= policy.failures ? open(policy.coolDownMs) : { state: 'CLOSED', failures };
  }
  return circuit.state === 'OPEN' ? circuit : open(Math.min(circuit.coolDownMs * 2, policy.maxCoolDownMs));
};

/** Any success closes it. */
export const afterReceiverSuccess = (): ReceiverCircuit => closedReceiverCircuit;

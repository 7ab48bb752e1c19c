import {
  admit,
  afterVerdict,
  closedCircuit,
  type Admission,
  type Circuit,
  type CircuitSettings,
  type Verdict,
} from '../domain/circuit.js';

/** The number of circuits that are not closed. */
export type CircuitCounts = Readonly<Record<'OPEN' | 'HALF_OPEN', number>>;

/** The circuits of the adaptors in this process. */
export interface Circuits {
  /** May the adaptor be asked for the caller? Every admitted question must be settled once. */
  admit(adaptorUuid: string, callerUuid: string): Admission;
  settle(adaptorUuid: string, verdict: Omit<Verdict, 'nowMs'>): void;
  /** Closes the circuit, because the adaptor has restarted and earlier failures do not count. */
  reset(adaptorUuid: string): void;
  counts(): CircuitCounts;
}

export interface CircuitsDependencies {
  readonly settings: CircuitSettings;
  /** Monotonic clock. */
  readonly nowMs: () => number;
  /** Called for each change of state. */
  readonly onChange: (adaptorUuid: string, state: Circuit['state']) => void;
}

export const defaultCircuitSettings: CircuitSettings = { failures: 20, coolDownMs: 10_000 };

/** It stores state only for adaptors whose last question failed. */
export const createCircuits = ({ settings, nowMs, onChange }: CircuitsDependencies): Circuits => {
  const circuits = new Map<string, Circuit>();

  const put = (adaptorUuid: string, next: Circuit): void => {
    const { state } = circuits.get(adaptorUuid) ?? closedCircuit;
    if (next.state === 'CLOSED' && next.failures === 0) circuits.delete(adaptorUuid);
    else circuits.set(adaptorUuid, next);
    if (next.state !== state) onChange(adaptorUuid, next.state);
  };

  return {
    admit: (adaptorUuid, callerUuid) => {
      const circuit = circuits.get(adaptorUuid);
      if (circuit === undefined) return 'ASKED';
      const admitted = admit(circuit, callerUuid, { nowMs: nowMs(), coolDownMs: settings.coolDownMs });
      put(adaptorUuid, admitted.circuit);
      return admitted.admission;
    },
    settle: (adaptorUuid, verdict) => {
      const circuit = circuits.get(adaptorUuid);
      if (circuit === undefined && verdict.outcome !== 'FAILED') return;
      put(adaptorUuid, afterVerdict(circuit ?? closedCircuit, { ...verdict, nowMs: nowMs() }, settings));
    },
    reset: (adaptorUuid) => put(adaptorUuid, closedCircuit),
    counts: () => {
      const states = [...circuits.values()].map(({ state }) => state);
      const count = (wanted: Circuit['state']): number => states.filter((state) => state === wanted).length;
      return { OPEN: count('OPEN'), HALF_OPEN: count('HALF_OPEN') };
    },
  };
};

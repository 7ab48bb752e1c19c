import { Counter, Gauge, type Registry } from 'prom-client';

const ways = ['SENT', 'SHARED', 'REFUSED'] as const;
const dropReasons = ['UNREADABLE', 'NOT_WAITED_FOR', 'OTHER_ADAPTOR', 'REPEATED_PART', 'UNASKED_RECORD'] as const;
const openStates = ['OPEN', 'HALF_OPEN'] as const;

type CircuitCounts = Readonly<Record<(typeof openStates)[number], number>>;

/** The figures of the fan-out to adaptors. Adaptors are counted, not named: a reader of the figures need not know them all. */
export interface AssemblyMetrics {
  /** Counts a question to one adaptor: sent, shared with another caller, or refused because the adaptor is down. */
  countQuestion(way: (typeof ways)[number]): void;
  /** Counts an answer of an adaptor, or a part of it, that was dropped. */
  countDropped(reason: (typeof dropReasons)[number]): void;
  /** Shows how many circuits are not closed, whenever the figures are read. */
  showCircuits(counts: () => CircuitCounts): void;
}

export const createAssemblyMetrics = (registry: Registry): AssemblyMetrics => {
  const questions = new Counter({
    name: 'fds_assembly_questions_total',
    help: 'Questions to adaptors: sent, shared with an equal one in flight, or refused because the adaptor is down',
    labelNames: ['way'],
    registers: [registry],
  });
  const dropped = new Counter({
    name: 'fds_assembly_answers_dropped_total',
    help: 'Answers of adaptors to assembly requests, and parts of them, that were dropped, by reason',
    labelNames: ['reason'],
    registers: [registry],
  });
  // shown before the first of them
  for (const way of ways) questions.inc({ way: way.toLowerCase() }, 0);
  for (const reason of dropReasons) dropped.inc({ reason: reason.toLowerCase() }, 0);
  return {
    countQuestion: (way) => questions.inc({ way: way.toLowerCase() }),
    countDropped: (reason) => dropped.inc({ reason: reason.toLowerCase() }),
    showCircuits: (counts) => {
      const gauge = new Gauge({
        name: 'fds_assembly_circuits',
        help: 'Adaptors that are not asked because they keep failing (open), or are being tried again (half_open)',
        labelNames: ['state'],
        registers: [registry],
        collect: () => {
          const current = counts();
          for (const state of openStates) gauge.set({ state: state.toLowerCase() }, current[state]);
        },
      });
    },
  };
};

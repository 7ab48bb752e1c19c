import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const ways = ['SENT', 'SHARED', 'REFUSED'] as const;
const dropReasons = ['UNREADABLE', 'NOT_WAITED_FOR', 'OTHER_ADAPTOR', 'REPEATED_PART', 'UNASKED_RECORD'] as const;
const openStates = ['OPEN', 'HALF_OPEN'] as const;

type CircuitCounts = Readonly<Record<(typeof openStates)[number], number>>;

/**
 * The figures of assembly requests and of the fan-out to adaptors. Adaptors are counted without their names, because a
 * reader of the figures may not be allowed to see all adaptors.
 */
export interface AssemblyMetrics {
  /** Counts an answer of POST /request; `lines`: those of a progressive answer. */
  countAnswer(answered: { readonly status: number; readonly lines: number | undefined; readonly ms: number }): void;
  /** Counts a question for one adaptor: sent, shared with another caller, or refused because the adaptor is down. */
  countQuestion(way: (typeof ways)[number]): void;
  /** Counts an answer of an adaptor, or a part of it, that was dropped. */
  countDropped(reason: (typeof dropReasons)[number]): void;
  /** Sets the function that counts open and half-open circuits. It is called whenever the figures are read. */
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
  const answers = new Histogram({
    name: 'fds_assembly_seconds',
    help: 'Time from a request at the assembly service to the end of its answer, by form (plain, progressive) and status',
    labelNames: ['form', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 600],
    registers: [registry],
  });
  const lineCount = new Counter({
    name: 'fds_assembly_lines_total',
    help: 'Lines of progressive answers of the assembly service',
    registers: [registry],
  });
  // shows 0 before the first question
  for (const way of ways) questions.inc({ way: way.toLowerCase() }, 0);
  for (const reason of dropReasons) dropped.inc({ reason: reason.toLowerCase() }, 0);
  return {
    countAnswer: ({ status, lines, ms }) => {
      answers.observe({ form: lines === undefined ? 'plain' : 'progressive', status: String(status) }, ms / 1000);
      if (lines !== undefined) lineCount.inc(lines);
    },
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

import type { Assembler, RecordCollector } from '@fds/assembly-contract';
import type { Database } from '@fds/database';
import { buildSchemaOf, type Subgraph } from '@fds/graphql';
import type { Log } from '@fds/service';
import { readFileSync } from 'node:fs';
import {
  createAnswerBudget,
  defaultAnswerLimits,
  type AnswerBound,
  type AnswerLimits,
} from './bounds/answer-budget.js';
import { type CircuitCounts, createCircuits, defaultCircuitSettings } from './bus/circuits.js';
import { createAdaptorQuestions, type FanOutMeter, type QuestionBus } from './bus/create-adaptor-questions.js';
import { createCatalogMemory } from './catalog/catalog-memory.js';
import type { CircuitSettings } from './domain/circuit.js';
import { createAssembler } from './engine/create-assembler.js';
import { createCollector } from './engine/create-collector.js';
import { startTimer as startNodeTimer, type StartTimer } from './engine/start-timer.js';
import { assemblyResolvers } from './resolvers/assembly-resolvers.js';

export interface AssemblyDependencies {
  readonly database: Database;
  /** The subgraph handles its `rsp` messages. */
  readonly bus: QuestionBus;
  /** A missing limit has its default. */
  readonly answerLimits?: Partial<AnswerLimits>;
  /** Called for each answer of an adaptor that a limit ends. */
  readonly onBoundHit?: (bound: AnswerBound) => void;
  /** A missing setting has its default. */
  readonly circuitSettings?: Partial<CircuitSettings>;
  /** Default: counts nothing. */
  readonly meter?: FanOutMeter;
  /** Ends requests at their time-out. Default: the timer of Node. */
  readonly startTimer?: StartTimer;
  readonly log: Log;
  readonly now: () => Date;
  readonly newUuid: () => string;
}

/** The assembly subgraph, with its engine for other components of the same process. */
export interface AssemblySubgraph extends Subgraph {
  readonly assembler: Assembler;
  /** Asks adaptors as the assembler does, and does not merge their answers. */
  readonly collector: RecordCollector;
  /** Counts the adaptors that this process does not ask because they keep failing. */
  circuitCounts(): CircuitCounts;
}

const uncounted: FanOutMeter = { countQuestion: () => undefined, countDropped: () => undefined };

export const createAssemblySubgraph = ({
  database,
  bus,
  answerLimits,
  onBoundHit = () => undefined,
  circuitSettings,
  meter = uncounted,
  startTimer = startNodeTimer,
  log,
  now,
  newUuid,
}: AssemblyDependencies): AssemblySubgraph => {
  const typeDefs = readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8');
  const budget = createAnswerBudget({ ...defaultAnswerLimits, ...answerLimits });
  const nowMs = (): number => performance.now();
  const circuits = createCircuits({
    settings: { ...defaultCircuitSettings, ...circuitSettings },
    nowMs,
    onChange: (adaptorUuid, state) => log.warn({ adaptorUuid, state }, 'the circuit of an adaptor changed'),
  });
  const questions = createAdaptorQuestions({
    bus,
    circuits,
    limits: budget.limits,
    onBoundHit,
    meter,
    log,
    now,
    nowMs,
    newUuid,
  });
  const catalog = createCatalogMemory(database);
  const engine = { database, catalog, questions, budget, onBoundHit, startTimer, log, newUuid };
  const assembler = createAssembler(engine);
  return {
    name: 'assembly',
    typeDefs,
    schema: buildSchemaOf(typeDefs, assemblyResolvers(assembler)),
    assembler,
    collector: createCollector(engine),
    circuitCounts: () => circuits.counts(),
    start: () => Promise.resolve(),
    // questions in progress end with their callers' requests
    close: () => catalog.close(),
  };
};

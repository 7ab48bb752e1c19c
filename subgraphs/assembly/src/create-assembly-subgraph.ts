import type { ServerBus } from '@fds/adaptor-bus';
import type { Assembler } from '@fds/assembly-contract';
import type { Database } from '@fds/database';
import { buildSchemaOf, type Subgraph } from '@fds/graphql';
import type { Log } from '@fds/service';
import { readFileSync } from 'node:fs';
import { createAdaptorQuestions } from './bus/adaptor-questions.js';
import { createAssembler } from './engine/create-assembler.js';
import { assemblyResolvers } from './resolvers/assembly-resolvers.js';
import { createVersionStore } from './store/version-store.js';

export interface AssemblyDependencies {
  readonly database: Database;
  /** Its `rsp` messages are taken over. */
  readonly bus: ServerBus;
  readonly log: Log;
  readonly now: () => Date;
  readonly newUuid: () => string;
}

/** The assembly subgraph, and its engine for those in the same process. */
export interface AssemblySubgraph extends Subgraph {
  readonly assembler: Assembler;
}

export const createAssemblySubgraph = ({
  database,
  bus,
  log,
  now,
  newUuid,
}: AssemblyDependencies): AssemblySubgraph => {
  const typeDefs = readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8');
  const questions = createAdaptorQuestions({ bus, log, now, newUuid });
  const assembler = createAssembler({ database, versions: createVersionStore(database), questions, log, newUuid });
  return {
    name: 'assembly',
    typeDefs,
    schema: buildSchemaOf(typeDefs, assemblyResolvers(assembler)),
    assembler,
    start: () => Promise.resolve(),
    // questions in flight end with their callers' requests
    close: () => Promise.resolve(),
  };
};

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UpHandler, UpKind } from '@fds/adaptor-bus';
import {
  adaptorSource,
  buildMessage,
  parseMessage,
  type AdaptorState,
  type OpsAnswer,
  type OpsRequest,
} from '@fds/adaptor-protocol';
import { createSealer, deploymentKeyBytes, type Principal } from '@fds/auth';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import type { Subgraph } from '@fds/graphql';
import {
  bootstrapIdentity,
  createManagedRoles,
  grantDomain,
  moveDomain,
  removeZoneIdentities,
  requireDomainZone,
} from '@fds/identity';
import { compileGrants, type Grant } from '@fds/access-rules';
import { createLog } from '@fds/service';
import { graphql } from 'graphql';
import { v7 as newUuid } from 'uuid';
import { bootstrapCatalog } from '../bootstrap-catalog.js';
import { createCatalogSubgraph, type CatalogDependencies } from '../create-catalog-subgraph.js';

/** The part of an answer that tests compare. */
export interface Answer {
  // the test's own query determines the shape of the answer
  readonly data: Record<string, Record<string, unknown>>;
  readonly code: string | undefined;
  readonly extensions: Readonly<Record<string, unknown>>;
  /** `pointer code` of every cause. */
  readonly causes: readonly string[];
}

/** The catalog on a real database, with a bus that records sent messages. */
export interface TestCatalog {
  readonly database: TestDatabase;
  readonly subgraph: Subgraph;
  readonly rootZoneUuid: string;
  readonly steward: Principal;
  run(source: string, variables?: Record<string, unknown>, principal?: Principal): Promise<Answer>;
  /** Delivers an adaptor's report to every process. */
  report(adaptorUuid: string, state: AdaptorState, stateMessage?: string): Promise<void>;
  answer(adaptorUuid: string, answer: OpsAnswer): Promise<void>;
  /** Delivers a message to every process. */
  deliver(adaptorUuid: string, kind: UpKind, payload: string): Promise<void>;
  /** Operations sent since the last call. */
  takeSent(): readonly OpsRequest[];
  /** Sets the function that answers sent messages in place of the adaptors. Default: silence. */
  answerWith(adaptor: (request: OpsRequest, adaptorUuid: string) => OpsAnswer | undefined): void;
  /** Another process on the same database and bus. */
  restart(options: Partial<CatalogDependencies>): Promise<Subgraph>;
  close(): Promise<void>;
}

/** A list in the answer of a root field. */
export const listIn = <T>({ data }: Answer, field: string, list = 'data'): readonly T[] =>
  (data[field]?.[list] ?? []) as readonly T[];

export const principalWith = (grants: readonly Grant[], defaultZoneUuid?: string): Principal => {
  const compiled = compileGrants(grants);
  return {
    kind: 'PERSON',
    uuid: newUuid(),
    username: 'somebody',
    zones: [],
    defaultZoneUuid,
    permits: (action, path) => compiled.permits(action, path),
  };
};

export const openCatalog = async (options: Partial<CatalogDependencies> = {}): Promise<TestCatalog> => {
  const database = await openTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'fds-catalog-'));
  const now = (): Date => new Date();
  const { rootZoneUuid } = await bootstrapIdentity({ database, dataDir, now, newUuid });
  await bootstrapCatalog({ database, now, newUuid });

  const handlers: (readonly [UpKind, UpHandler])[] = [];
  const sent: OpsRequest[] = [];
  let adaptors: Parameters<TestCatalog['answerWith']>[0] = () => undefined;
  const bus: CatalogDependencies['bus'] = {
    handle: (kind, handler) => void handlers.push([kind, handler]),
    connected: true,
    publish: async (adaptorUuid, kind, payload) => {
      const parsed = kind === 'ops' ? parseMessage('down/ops', Buffer.from(payload)) : undefined;
      if (parsed?.ok !== true || parsed.value.type !== 'fds.ops.v1')
        throw new Error(`the catalog sent a message that is not an operation: ${payload}`);
      sent.push(parsed.value.data);
      const said = adaptors(parsed.value.data, adaptorUuid);
      if (said !== undefined) setImmediate(() => void answer(adaptorUuid, said));
    },
  };
  const dependencies: CatalogDependencies = {
    database,
    bus,
    sealer: createSealer(randomBytes(deploymentKeyBytes)),
    createManagedRoles,
    forgetZone: [removeZoneIdentities],
    requireDomainZone,
    grantDomain,
    moveDomain,
    forgetHolders: () => undefined,
    messageBusUrls: ['tcp://localhost:1883', 'ws://localhost:8083'],
    secretGraceSeconds: 60,
    // the collector must not send a request to an adaptor during a test
    remindEveryMs: 600_000,
    collectEveryMs: 600_000,
    answerTimeoutMs: 200,
    log: createLog('silent'),
    now,
    newUuid,
    ...options,
  };
  const subgraph = createCatalogSubgraph(dependencies);
  await subgraph.start();
  const others: Subgraph[] = [];
  const steward = principalWith([{ action: 'ALL', resource: '/*' }], rootZoneUuid);
  const envelope = (adaptorUuid: string) => ({
    id: newUuid(),
    source: adaptorSource(adaptorUuid),
    time: now().toISOString(),
  });
  const deliver = async (adaptorUuid: string, kind: UpKind, payload: string): Promise<void> => {
    const message = { adaptorUuid, kind, payload: Buffer.from(payload) };
    await Promise.all(handlers.filter(([handled]) => handled === kind).map(async ([, handle]) => handle(message)));
  };
  const answer = (adaptorUuid: string, data: OpsAnswer): Promise<void> =>
    deliver(adaptorUuid, 'ops', buildMessage('up/ops', { ...envelope(adaptorUuid), type: 'fds.ops.answer.v1', data }));

  return {
    database,
    subgraph,
    rootZoneUuid,
    steward,
    run: async (source, variables = {}, principal = steward) => {
      const contextValue = { principal, requestId: newUuid() };
      const result = await graphql({ schema: subgraph.schema, source, variableValues: variables, contextValue });
      const extensions = result.errors?.[0]?.extensions ?? {};
      const causes = (extensions['errors'] ?? []) as readonly { pointer: string; code: string }[];
      const [error] = result.errors ?? [];
      const code = typeof extensions['code'] === 'string' ? extensions['code'] : error?.message;
      return {
        data: (result.data ?? {}) as Answer['data'],
        code,
        extensions,
        causes: causes.map((cause) => `${cause.pointer} ${cause.code}`),
      };
    },
    report: (adaptorUuid, state, stateMessage) =>
      deliver(
        adaptorUuid,
        'status',
        buildMessage('up/status', {
          ...envelope(adaptorUuid),
          type: 'fds.status.v1',
          data: { state, sdk: { name: 'test', version: '1' }, ...(stateMessage === undefined ? {} : { stateMessage }) },
        }),
      ),
    answer,
    deliver,
    takeSent: () => sent.splice(0),
    answerWith: (given) => {
      adaptors = given;
    },
    restart: async (changed) => {
      const next = createCatalogSubgraph({ ...dependencies, ...changed });
      await next.start();
      others.push(next);
      return next;
    },
    close: async () => {
      for (const process of [...others, subgraph]) await process.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerBus, UpHandler, UpKind } from '@fds/adaptor-bus';
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
import { bootstrapIdentity, createManagedRoles, grantDomain, removeZoneIdentities } from '@fds/identity';
import { compileGrants, type Grant } from '@fds/permissions';
import { createLog } from '@fds/service';
import { graphql } from 'graphql';
import { v7 as newUuid } from 'uuid';
import { bootstrapCatalog } from '../bootstrap-catalog.js';
import { createCatalogSubgraph, type CatalogDependencies } from '../create-catalog-subgraph.js';

/** What a test sees of an answer. */
export interface Answer {
  // the answer's shape is the test's own query
  readonly data: Record<string, Record<string, unknown>>;
  readonly code: string | undefined;
  readonly extensions: Readonly<Record<string, unknown>>;
  /** `pointer code` of every cause. */
  readonly causes: readonly string[];
}

/** The catalog on a real database, with a bus that keeps what is sent. */
export interface TestCatalog {
  readonly database: TestDatabase;
  readonly subgraph: Subgraph;
  readonly rootZoneUuid: string;
  readonly steward: Principal;
  run(source: string, variables?: Record<string, unknown>, principal?: Principal): Promise<Answer>;
  /** An adaptor's report arrives. */
  report(adaptorUuid: string, state: AdaptorState, stateMessage?: string): Promise<void>;
  answer(adaptorUuid: string, answer: OpsAnswer): Promise<void>;
  /** Operations sent since the last call. */
  takeSent(): readonly OpsRequest[];
  /** Another subgraph on the same database, as after a restart. */
  restart(options: Partial<CatalogDependencies>): Promise<Subgraph>;
  close(): Promise<void>;
}

/** A list inside the answer of a root field. */
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

export const openCatalog = async (): Promise<TestCatalog> => {
  const database = await openTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'fds-catalog-'));
  const now = (): Date => new Date();
  const { rootZoneUuid } = await bootstrapIdentity({ database, dataDir, now, newUuid });
  await bootstrapCatalog({ database, now, newUuid });

  const handlers = new Map<UpKind, UpHandler>();
  const sent: OpsRequest[] = [];
  const bus: ServerBus = {
    connected: true,
    handle: (kind, handler) => void handlers.set(kind, handler),
    publish: (_adaptorUuid, kind, payload) => {
      const parsed = kind === 'ops' ? parseMessage('down/ops', Buffer.from(payload)) : undefined;
      if (parsed?.ok !== true) return Promise.reject(new Error(`the catalog sent what is no operation: ${payload}`));
      sent.push(parsed.value.data);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
  const dependencies: CatalogDependencies = {
    database,
    bus,
    sealer: createSealer(randomBytes(deploymentKeyBytes)),
    createManagedRoles,
    forgetZone: [removeZoneIdentities],
    grantDomain,
    messageBusUrls: ['tcp://localhost:1883', 'ws://localhost:8083'],
    secretGraceSeconds: 60,
    log: createLog('silent'),
    now,
    newUuid,
  };
  const subgraph = createCatalogSubgraph(dependencies);
  await subgraph.start();
  const steward = principalWith([{ action: 'ALL', resource: '/*' }], rootZoneUuid);
  const envelope = (adaptorUuid: string) => ({
    id: newUuid(),
    source: adaptorSource(adaptorUuid),
    time: now().toISOString(),
  });
  const deliver = async (adaptorUuid: string, kind: UpKind, payload: string): Promise<void> => {
    await handlers.get(kind)?.({ adaptorUuid, kind, payload: Buffer.from(payload) });
  };

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
    answer: (adaptorUuid, data) =>
      deliver(
        adaptorUuid,
        'ops',
        buildMessage('up/ops', { ...envelope(adaptorUuid), type: 'fds.ops.answer.v1', data }),
      ),
    takeSent: () => sent.splice(0),
    restart: async (options) => {
      const next = createCatalogSubgraph({ ...dependencies, ...options });
      await next.start();
      return next;
    },
    close: async () => {
      await subgraph.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

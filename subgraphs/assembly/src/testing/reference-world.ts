import type { UpHandler } from '@fds/adaptor-bus';
import {
  adaptorSource,
  buildMessage,
  parseMessage,
  type AnsweredRecord,
  type AssemblyRequest as Question,
} from '@fds/adaptor-protocol';
import type { Principal } from '@fds/auth';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { stringifyJson, type JsonObject } from '@fds/json';
import { compileModelSchema, type CompiledModel } from '@fds/model-schema';
import { createLog } from '@fds/service';
import { v7 as newUuid } from 'uuid';
import type { AnswerBound, AnswerLimits } from '../bounds/answer-budget.js';
import type { QuestionBus } from '../bus/create-adaptor-questions.js';
import { createAssemblySubgraph, type AssemblySubgraph } from '../create-assembly-subgraph.js';

/** The behaviour of an adaptor: answer at once, after some milliseconds, with an error, or never. */
type Manner = 'AT_ONCE' | 'ERROR' | 'SILENT' | number;

export interface TestAdaptor {
  readonly uuid: string;
  readonly name: string;
  /** Its data by record uuid. */
  readonly records: Map<string, JsonObject>;
  manner: Manner;
}

export interface TestVersion {
  readonly uuid: string;
  readonly domainUuid: string;
  readonly domain: string;
  readonly federated: boolean;
  readonly model: CompiledModel;
}

/** A question that was sent to an adaptor. */
interface SentQuestion {
  readonly adaptor: string;
  /** Number of answers that adaptors had given before it was sent. */
  readonly answersBefore: number;
  readonly question: Question;
}

export interface ReferenceWorld {
  readonly database: TestDatabase;
  readonly subgraph: AssemblySubgraph;
  readonly zoneUuid: string;
  /** A zone in which the principal is not a member. */
  readonly foreignZoneUuid: string;
  readonly principal: Principal;
  /** All questions since the list was last cleared. */
  readonly sent: SentQuestion[];
  readonly boundHits: AnswerBound[];
  addVersion(
    domain: string,
    kind: 'FEDERATED' | 'SERVICE_DATA_STORE',
    modelSchema: JsonObject,
    keys: readonly string[],
  ): Promise<TestVersion>;
  /** An adaptor that is capable of GET for the versions. */
  addAdaptor(name: string, versions: readonly TestVersion[], zoneUuid?: string): Promise<TestAdaptor>;
  /** A record. Adds a federated record with this data to the adaptors. */
  addRecord(version: TestVersion, data: JsonObject, holders?: readonly TestAdaptor[]): Promise<string>;
  clear(): void;
  close(): Promise<void>;
}

const answerOf = (adaptor: TestAdaptor, { records }: Question): AnsweredRecord[] =>
  (records ?? []).flatMap(({ drUuid, drKey }) => {
    const data = drUuid === undefined ? undefined : adaptor.records.get(drUuid);
    return data === undefined || drUuid === undefined ? [] : [{ drUuid, drKey, data }];
  });

/** A bus whose simulated adaptors answer automatically. */
const createBus = (adaptors: ReadonlyMap<string, TestAdaptor>, sent: SentQuestion[]): QuestionBus => {
  let handler: UpHandler | undefined;
  let answers = 0;
  const answer = (adaptor: TestAdaptor, question: Question): void => {
    const error = adaptor.manner === 'ERROR' ? { error: { code: 'SOURCE', message: 'no connection' } } : {};
    const message = buildMessage('up/rsp', {
      id: newUuid(),
      source: adaptorSource(adaptor.uuid),
      type: 'fds.assembly.answer.v1',
      time: new Date().toISOString(),
      data: { requestUuid: question.requestUuid, part: 1, last: true, records: answerOf(adaptor, question), ...error },
    });
    answers += 1;
    void handler?.({ adaptorUuid: adaptor.uuid, kind: 'rsp', payload: Buffer.from(message) });
  };
  return {
    replyInstance: 'server',
    observe: () => undefined,
    handle: (_kind, given) => {
      handler = given;
    },
    publish: (adaptorUuid, _kind, payload) => {
      const parsed = parseMessage('down/req', Buffer.from(payload));
      const adaptor = adaptors.get(adaptorUuid);
      if (!parsed.ok || adaptor === undefined) throw new Error('the request is not valid');
      sent.push({ adaptor: adaptor.name, answersBefore: answers, question: parsed.value.data });
      const { manner } = adaptor;
      if (manner === 'SILENT') return Promise.resolve();
      const reply = (): void => answer(adaptor, parsed.value.data);
      if (typeof manner === 'number') setTimeout(reply, manner).unref();
      else setImmediate(reply);
      return Promise.resolve();
    },
  };
};

/** A database and an assembly engine. Its adaptors answer as the test decides. */
export const openReferenceWorld = async (answerLimits: Partial<AnswerLimits> = {}): Promise<ReferenceWorld> => {
  const database = await openTestDatabase();
  const { prisma, pool } = database;
  const adaptors = new Map<string, TestAdaptor>();
  const sent: SentQuestion[] = [];
  const boundHits: AnswerBound[] = [];
  const [zoneUuid, foreignZoneUuid, typeUuid] = [newUuid(), newUuid(), newUuid()];
  await prisma.zone.create({ data: { uuid: zoneUuid, name: 'Home' } });
  await prisma.zone.create({ data: { uuid: foreignZoneUuid, name: 'Abroad' } });
  await prisma.adaptorType.create({ data: { uuid: typeUuid, name: 'any' } });
  const subgraph = createAssemblySubgraph({
    database,
    bus: createBus(adaptors, sent),
    answerLimits,
    onBoundHit: (bound) => boundHits.push(bound),
    log: createLog('silent'),
    now: () => new Date(),
    newUuid: () => newUuid(),
  });
  const principal: Principal = {
    kind: 'PERSON',
    uuid: newUuid(),
    username: 'ada',
    zones: [
      { zoneUuid, zoneName: 'Home', zoneUserUuid: newUuid(), default: true, knowsPerson: true, roles: [], groups: [] },
    ],
    defaultZoneUuid: zoneUuid,
    permits: () => true,
  };

  return {
    database,
    subgraph,
    zoneUuid,
    foreignZoneUuid,
    principal,
    sent,
    boundHits,
    addVersion: async (domain, domainType, modelSchema, keys) => {
      const { model, errors } = compileModelSchema({ modelSchema, drKeyProperties: [...keys] });
      if (model === undefined) throw new Error(JSON.stringify(errors));
      const [uuid, domainUuid] = [newUuid(), newUuid()];
      await prisma.domain.create({ data: { uuid: domainUuid, name: domain, nameKey: domain, domainType, zoneUuid } });
      const drKeyProperties = [...keys];
      const version = { uuid, domainUuid, versionNumber: 1, modelSchema: stringifyJson(modelSchema), drKeyProperties };
      await prisma.domainVersion.create({ data: version });
      return { uuid, domainUuid, domain, federated: domainType === 'FEDERATED', model };
    },
    addAdaptor: async (name, versions, ofZone = zoneUuid) => {
      const uuid = newUuid();
      const capabilities = {
        create: versions.map(({ domain: domainName }, position) => ({
          position,
          domainName,
          versionNumber: 1,
          action: 'GET',
        })),
      };
      const data = {
        uuid,
        name,
        zoneUuid: ofZone,
        adaptorTypeUuid: typeUuid,
        state: 'STARTED',
        inheritsCapabilities: false,
      };
      await prisma.adaptor.create({ data: { ...data, capabilities } });
      const adaptor: TestAdaptor = { uuid, name, records: new Map(), manner: 'AT_ONCE' };
      adaptors.set(uuid, adaptor);
      return adaptor;
    },
    addRecord: async ({ uuid: versionUuid, federated, model }, data, holders = []) => {
      const uuid = newUuid();
      const key = model.drKeyOf(data);
      const digest = Buffer.from(model.keyDigest(key), 'hex');
      await pool.query(
        'INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key, json) VALUES ($1, $2, $3, $4::jsonb, $5::jsonb)',
        [uuid, versionUuid, digest, stringifyJson(key), federated ? null : stringifyJson(data)],
      );
      for (const adaptor of holders) {
        adaptor.records.set(uuid, data);
        await pool.query(
          `INSERT INTO record_link (record_uuid, adaptor_uuid, domain_version_uuid, key_digest, dr_key, known_content) VALUES ($1, $2, $3, $4, $5::jsonb, '{}')`,
          [uuid, adaptor.uuid, versionUuid, digest, stringifyJson(key)],
        );
      }
      return uuid;
    },
    clear: () => {
      sent.length = 0;
      boundHits.length = 0;
      for (const adaptor of adaptors.values()) adaptor.manner = 'AT_ONCE';
    },
    close: async () => {
      await subgraph.close();
      await database.drop();
    },
  };
};

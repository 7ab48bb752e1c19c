import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { UpHandler } from '@fds/adaptor-bus';
import { adaptorSource, buildMessage, parseMessage, type AssemblyRequest } from '@fds/adaptor-protocol';
import type { AssembledRecord, AssemblyLine, AssemblyRequest as Request, EndLine } from '@fds/assembly-contract';
import type { Principal } from '@fds/auth';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { stringifyJson } from '@fds/json';
import { createLog } from '@fds/service';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { v7 as newUuid } from 'uuid';
import type { QuestionBus } from './bus/create-adaptor-questions.js';
import { createAssemblySubgraph, type AssemblySubgraph } from './create-assembly-subgraph.js';

const recordCount = 40_000;
const modelSchema = { properties: { id: { type: 'integer' }, name: { type: 'string' }, note: { type: 'string' } } };
const zoneUuid = newUuid();
const [gold, bronze] = [newUuid(), newUuid()];
const versionUuid = newUuid();
const domain = 'many';

interface Question {
  readonly adaptorUuid: string;
  readonly request: AssemblyRequest;
}

let database: TestDatabase;
let subgraph: AssemblySubgraph;
let questions: Question[];
let keepsQuestions: boolean;
/** The behaviour of an adaptor that gets a question. */
let take: (question: Question) => void;
let handler: UpHandler | undefined;

/** Answers a question completely. */
const answer = ({ adaptorUuid, request }: Question): void => {
  const message = buildMessage('up/rsp', {
    id: newUuid(),
    source: adaptorSource(adaptorUuid),
    type: 'fds.assembly.answer.v1',
    time: new Date().toISOString(),
    data: {
      requestUuid: request.requestUuid,
      part: 1,
      last: true,
      records: (request.records ?? []).map(({ drUuid, drKey }) => ({
        drUuid,
        drKey,
        data: { ...drKey, name: adaptorUuid === gold ? 'gold' : 'bronze', note: adaptorUuid === gold ? null : 'n' },
      })),
    },
  });
  void handler?.({ adaptorUuid, kind: 'rsp', payload: Buffer.from(message) });
};

const bus: QuestionBus = {
  replyInstance: 'server',
  observe: () => undefined,
  handle: (_kind, given) => {
    handler = given;
  },
  publish: (adaptorUuid, _kind, payload) => {
    const parsed = parseMessage('down/req', Buffer.from(payload));
    if (!parsed.ok) throw new Error('the request is not valid');
    const question = { adaptorUuid, request: parsed.value.data };
    if (keepsQuestions) questions.push(question);
    setImmediate(() => take(question));
    return Promise.resolve();
  },
};

const principal: Principal = {
  kind: 'PERSON',
  uuid: newUuid(),
  username: 'ada',
  zones: [
    { zoneUuid, zoneName: 'Z', zoneUserUuid: newUuid(), default: true, knowsPerson: true, roles: [], groups: [] },
  ],
  defaultZoneUuid: zoneUuid,
  permits: () => true,
};

const request = (changes: Partial<Request>): Request => ({
  domain,
  sort: 'id',
  goldAdaptors: [gold],
  bronzeAdaptors: [bronze],
  ...changes,
});

const lines = (changes: Partial<Request>, signal?: AbortSignal): AsyncIterable<AssemblyLine> =>
  subgraph.assembler.assembleProgressively(request(changes), principal, signal);

const seed = async (): Promise<void> => {
  const { prisma, pool } = database;
  await prisma.zone.create({ data: { uuid: zoneUuid, name: 'Z' } });
  const typeUuid = newUuid();
  await prisma.adaptorType.create({ data: { uuid: typeUuid, name: 'any' } });
  const domainUuid = newUuid();
  await prisma.domain.create({
    data: { uuid: domainUuid, name: domain, nameKey: domain, domainType: 'FEDERATED', zoneUuid },
  });
  await prisma.domainVersion.create({
    data: {
      uuid: versionUuid,
      domainUuid,
      versionNumber: 1,
      modelSchema: stringifyJson(modelSchema),
      drKeyProperties: ['id'],
    },
  });
  for (const [uuid, name] of [
    [gold, 'Gold'],
    [bronze, 'Bronze'],
  ] as const) {
    const capability = { position: 0, domainName: domain, versionNumber: 1, action: 'GET' };
    await prisma.adaptor.create({
      data: {
        uuid,
        name,
        zoneUuid,
        adaptorTypeUuid: typeUuid,
        state: 'STARTED',
        inheritsCapabilities: false,
        capabilities: { create: capability },
      },
    });
  }
  await pool.query(
    `INSERT INTO data_record (uuid, domain_version_uuid, key_digest, dr_key)
     SELECT gen_random_uuid(), $1, decode(md5(id::text), 'hex'), jsonb_build_object('id', id)
     FROM generate_series(1, $2::int) AS id`,
    [versionUuid, recordCount],
  );
  await pool.query(
    `INSERT INTO record_link (record_uuid, adaptor_uuid, domain_version_uuid, key_digest, dr_key, known_content)
     SELECT r.uuid, a.uuid, r.domain_version_uuid, r.key_digest, r.dr_key, '{}'
     FROM data_record r CROSS JOIN unnest($1::uuid[]) AS a (uuid)`,
    [[gold, bronze]],
  );
  await pool.query('ANALYZE data_record, record_link');
};

beforeAll(async () => {
  database = await openTestDatabase();
  await seed();
  subgraph = createAssemblySubgraph({
    database,
    bus,
    log: createLog('silent'),
    now: () => new Date(),
    newUuid: () => newUuid(),
  });
}, 120_000);

beforeEach(() => {
  questions = [];
  keepsQuestions = true;
  take = answer;
});

afterAll(async () => {
  await subgraph.close();
  await database.drop();
});

/** Waits for a condition. */
const until = async (condition: () => boolean): Promise<void> => {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('the condition did not come true');
    await new Promise((resume) => setTimeout(resume, 5));
  }
};

describe('a progressive answer', () => {
  it('has the records of the plain pages over several windows, with their order and total', async () => {
    const given: AssembledRecord[] = [];
    let end: EndLine | undefined;
    for await (const line of lines({ size: 2_300, page: 1 })) {
      if ('record' in line) given[line.index] = line.record;
      else if (!('patch' in line)) end = line;
    }
    const pages = await Promise.all(
      [23, 27, 45].map(async (page) => {
        const { assembledDataRecords } = await subgraph.assembler.assemble(request({ size: 100, page }), principal);
        return assembledDataRecords.map(({ uuid, data, status }) => ({ uuid, data, status }));
      }),
    );
    const shown = given.map(({ uuid, data, status }) => ({ uuid, data, status }));
    expect(given.length).toBe(2_300);
    expect([shown.slice(0, 100), shown.slice(400, 500), shown.slice(2_200)]).toEqual(pages);
    expect(end?._page).toEqual({ page: 1, size: 2_300, totalElements: recordCount, totalPages: 18 });
    expect(end?.completeness).toEqual([
      expect.objectContaining({ adaptorUuid: bronze, tier: 'BRONZE', outcome: 'ANSWERED' }),
      expect.objectContaining({ adaptorUuid: gold, tier: 'GOLD', outcome: 'ANSWERED' }),
    ]);
  });

  it('asks each adaptor for at most 1000 records in a message, with one message for a window', async () => {
    for await (const line of lines({ size: 3_000 })) expect(line).toBeDefined();
    const sizes = (adaptorUuid: string) =>
      questions.filter((one) => one.adaptorUuid === adaptorUuid).map((one) => one.request.records?.length);
    expect(sizes(gold)).toEqual([100, 100, 400, 1_000, 1_000, 400]);
    expect(sizes(bronze)).toEqual(sizes(gold));
    questions = [];
    for await (const line of lines({ size: 1_000 })) expect(line).toBeDefined();
    expect(sizes(gold)).toEqual([1_000]);
  });

  it('sends no more questions while the client does not read, but has the next window ready', async () => {
    const reading = lines({ size: 10_000 })[Symbol.asyncIterator]();
    await reading.next();
    const windows = () => questions.filter(({ adaptorUuid }) => adaptorUuid === gold).length;
    await until(() => windows() === 2);
    // in the meantime, a whole request passes through the engine
    await subgraph.assembler.assemble(request({ size: 1_000, adaptors: [bronze], goldAdaptors: [] }), principal);
    expect(windows()).toBe(2);
    await reading.return?.();
  });

  it('ends its questions when the client stops reading', async () => {
    take = (question) => {
      if (question.adaptorUuid === bronze || question.request.records?.length === 100) answer(question);
    };
    const reading = lines({ size: 10_000, releasePolicy: 'ASAP' })[Symbol.asyncIterator]();
    await reading.next();
    await until(() => questions.length >= 4);
    await reading.return?.();
    const asked = questions.length;
    take = answer;
    // the memory is free again, so that a large plain request fits
    await subgraph.assembler.assemble(request({ size: 1_000 }), principal);
    expect(questions.length).toBe(asked + 2);
  });

  it('throws the reason of the signal at the next pull', async () => {
    take = () => undefined;
    const caller = new AbortController();
    const reading = lines({ size: 10 }, caller.signal)[Symbol.asyncIterator]();
    const pulled = reading.next();
    await until(() => questions.length === 2);
    caller.abort(new Error('gone'));
    await expect(pulled).rejects.toThrow('gone');
  });

  it('leaves out records that were deleted in the meantime, and no others', async () => {
    const given = new Map<number, unknown>();
    for await (const line of lines({ size: 1_500, page: 2 })) {
      if (!('record' in line)) continue;
      if (given.size === 0) {
        await database.pool.query(
          "DELETE FROM record_link WHERE domain_version_uuid = $1 AND dr_key->>'id' IN ('4499', '4500', '5000')",
          [versionUuid],
        );
        await database.pool.query(
          "DELETE FROM data_record WHERE domain_version_uuid = $1 AND dr_key->>'id' IN ('4499', '4500', '5000')",
          [versionUuid],
        );
      }
      given.set(line.index, line.record.drKey['id']);
    }
    const ids = [...given.entries()].toSorted(([one], [other]) => one - other).map(([, id]) => id);
    expect(ids.length).toBe(1_498);
    expect(ids.slice(-2)).toEqual([4497, 4498]);
    expect([...given.keys()].toSorted((one, other) => one - other)).toEqual([...ids.keys()]);
  });

  it('takes constant memory for 40 000 records', async () => {
    keepsQuestions = false;
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heaps: number[] = [];
    let count = 0;
    for await (const line of lines({ size: recordCount, timeout: 600 })) {
      if (!('record' in line)) continue;
      count += 1;
      if (count % 4_000 === 0) {
        collect();
        heaps.push(process.memoryUsage().heapUsed / 2 ** 20);
      }
    }
    expect(count).toBe(recordCount - 3);
    const [early = 0] = heaps;
    expect(Math.max(...heaps) - early).toBeLessThan(16);
  }, 120_000);
});

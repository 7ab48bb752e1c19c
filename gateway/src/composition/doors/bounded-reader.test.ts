import { afterEach, describe, expect, it } from '@jest/globals';
import { JsonText } from '@fds/graphql';
import { createRestFacade } from '@fds/rest-facade';
import { fastify, type FastifyInstance } from 'fastify';
import { isLongerThan } from '../../executor/answer-size.js';
import { createGraphqlExecutor } from '../../executor/graphql-executor.js';
import { createSampleGateway, silent } from '../../testing/sample-gateway.js';
import { allPermitted } from '../../testing/sample-subgraphs.js';
import { boundedReader } from './bounded-reader.js';

const maxCharacters = 1_000;
const uuid = '0190c000-0000-7000-8000-000000000001';

/** A record whose data has a text of this length. */
const recordWith = (length: number) => ({
  uuid,
  domainType: 'SERVICE_DATA_STORE' as const,
  adaptorUuid: null,
  domainVersionUuid: '0190c000-0000-7000-8000-000000000002',
  dateCreated: '2026-01-02T03:04:05.006Z',
  createdByUuid: null,
  json: JSON.stringify({ text: 'x'.repeat(length) }),
  drKey: '{"id":1}',
  changeVersion: 1,
});

/** The length from which on a record is too large. */
const tooLong = Array.from({ length: maxCharacters }, (_, length) => length).find((length) =>
  isLongerThan({ result: recordWith(length) }, maxCharacters),
) as number;

const servers: FastifyInstance[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

/** Asks a facade for the record, with or without a reader, and counts how often the document is run. */
const ask = async (length: number, hasReader: boolean) => {
  const record = recordWith(length);
  const counts = { documents: 0, refused: 0 };
  const { gateway, subgraphs } = createSampleGateway();
  const field = subgraphs.records.schema.getQueryType()?.getFields()['dataRecord'];
  if (field === undefined) throw new Error('the sample has no data records');
  field.resolve = () => {
    counts.documents += 1;
    return { ...record, json: new JsonText(record.json), drKey: new JsonText(record.drKey) };
  };
  const executor = createGraphqlExecutor({
    gateway,
    maxAnswerCharacters: maxCharacters,
    onTooLarge: () => {
      counts.refused += 1;
    },
    log: silent,
  });
  const server = fastify();
  servers.push(server);
  await server.register(
    createRestFacade({
      executor,
      readRecord: hasReader ? boundedReader(async () => record, maxCharacters) : undefined,
      schema: gateway.staticSchema,
      authenticate: async () => allPermitted,
      baseUrl: 'http://localhost:8080',
      idempotency: { claim: () => Promise.reject(new Error('no request has a key')) },
      findVisibleVersions: () => [],
      log: silent,
    }),
  );
  const { statusCode, body } = await server.inject({ url: `/api/drs/${uuid}`, headers: { 'x-request-id': 'same' } });
  return { ...counts, status: statusCode, body };
};

describe('boundedReader', () => {
  it('gives a record that fits an answer, and no document is run', async () => {
    const { body, ...counts } = await ask(tooLong - 1, true);
    expect(counts).toEqual({ documents: 0, refused: 0, status: 200 });
    expect(body).toBe((await ask(tooLong - 1, false)).body);
  });

  it('leaves a record that is too large to the executor, which refuses it', async () => {
    const { body, ...counts } = await ask(tooLong, true);
    expect(counts).toEqual({ documents: 1, refused: 1, status: 400 });
    expect(JSON.parse(body)).toMatchObject({ code: 'QUERY_TOO_COMPLEX' });
    expect(body).toBe((await ask(tooLong, false)).body);
  });

  it('gives nothing where the reader gives nothing', async () => {
    const read = boundedReader(async () => undefined, maxCharacters);
    expect(await read(uuid, { principal: allPermitted, requestId: 'same' })).toBeUndefined();
  });
});

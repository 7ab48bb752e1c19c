import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import type { FastifyInstance } from 'fastify';
import { authorization, openFacade } from '../../testing/open-facade.js';
import { other, time, uuid } from '../../testing/samples.js';

const record = {
  uuid,
  domainType: 'SERVICE_DATA_STORE',
  adaptorUuid: null,
  domainVersionUuid: other,
  dateCreated: time.toISOString(),
  createdByUuid: null,
  json: '{"id":9223372036854775807}',
  drKey: '{"id":9223372036854775807}',
  changeVersion: 3,
};
/** The same as resolvers give it: the scalar writes it as JSON text. */
const resolved = {
  ...record,
  dateCreated: time,
  json: { id: 9223372036854775807n },
  drKey: { id: 9223372036854775807n },
  refs: [],
};
const noRecord = new AppError('NOT_FOUND', 'there is no such data record');

const servers: FastifyInstance[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

/** A facade with or without a reader, which counts how each of the two ways is asked. */
const open = async (
  ways: { readonly reads: object | undefined; readonly answers: object | AppError },
  hasReader: boolean,
) => {
  const asked = { reader: 0, document: 0 };
  const contexts = new Set<object>();
  const fields = {
    dataRecord: (_args: object, context: RequestContext) => {
      asked.document += 1;
      contexts.add(context);
      if (ways.answers instanceof AppError) throw ways.answers;
      return ways.answers;
    },
  };
  const readRecord = async (_drUuid: string, context: RequestContext): Promise<object | undefined> => {
    asked.reader += 1;
    contexts.add(context);
    return ways.reads;
  };
  const server = await openFacade(
    fields,
    undefined,
    undefined,
    undefined,
    undefined,
    hasReader ? readRecord : undefined,
  );
  servers.push(server);
  const get = async (target: string, headers: Readonly<Record<string, string>> = {}) => {
    const {
      statusCode,
      body,
      headers: answered,
    } = await server.inject({
      url: `/api/drs/${target}`,
      headers: { authorization, 'x-request-id': 'same', ...headers },
    });
    return { statusCode, body, headers: { ...answered, date: undefined } };
  };
  return { asked, contexts, get };
};

const found = { reads: record, answers: resolved };
const missing = { reads: undefined, answers: noRecord };

describe('GET /drs/{drUuid}', () => {
  it.each([
    ['a record', found, uuid, {}, 200],
    ['the fields asked for', found, `${uuid}?fields=drKey,json`, {}, 200],
    ['a record that the caller has', found, uuid, { 'if-none-match': '*' }, 304],
    ['a record under a failed condition', found, uuid, { 'if-match': '"1"' }, 412],
    ['a malformed condition', found, uuid, { 'if-match': 'x y' }, 400],
    ['an unknown field', found, `${uuid}?fields=nope`, {}, 400],
    ['an unknown parameter', found, `${uuid}?nope=1`, {}, 400],
    ['a name that is not a UUID', found, 'nope', {}, 404],
    ['a media type that is not offered', found, uuid, { accept: 'text/html' }, 406],
    ['no token', found, uuid, { authorization: '' }, 401],
    ['a record that does not exist', missing, uuid, {}, 404],
  ])('answers %s alike with a reader and without one', async (_, ways, target, headers, status) => {
    const [direct, general] = [await open(ways, true), await open(ways, false)];
    const answer = await direct.get(target, headers);
    expect(answer).toEqual(await general.get(target, headers));
    expect(answer.statusCode).toBe(status);
  });

  it('asks the reader only, when it knows the record', async () => {
    const { asked, get } = await open(found, true);
    await get(uuid);
    await get(`${uuid}?fields=uuid`);
    expect(asked).toEqual({ reader: 2, document: 0 });
  });

  it('runs the document with the context of the reader when the reader gives nothing', async () => {
    const { asked, contexts, get } = await open(missing, true);
    await get(uuid);
    expect(asked).toEqual({ reader: 1, document: 1 });
    expect(contexts.size).toBe(1);
  });

  it.each(['options=refs:true', 'options=includeJson:false', `filters=adaptor:${other}`])(
    'runs the document for %s',
    async (query) => {
      const { asked, get } = await open(found, true);
      expect((await get(`${uuid}?${query}`)).statusCode).toBe(200);
      expect(asked).toEqual({ reader: 0, document: 1 });
    },
  );
});

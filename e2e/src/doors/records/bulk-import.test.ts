import { describe, expect, it } from '@jest/globals';
import { parse } from 'lossless-json';
import {
  createVersion,
  requireStatus,
  type CreatedVersion,
  type VersionSpecification,
} from '../../harness/catalogue.js';
import { exchange } from '../../harness/exchange.js';
import { setUpDoors } from '../set-up-doors.js';
import { uniqueName } from '../unique-name.js';

interface Report {
  readonly total: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly errors: readonly { readonly row: number; readonly pointer: string; readonly code: string; detail: string }[];
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: Report & Readonly<Record<string, unknown>>;
}

const types = { json: 'application/json', ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;

const properties = {
  id: { type: 'integer' },
  name: { type: 'string' },
  weight: { type: 'number', maximum: 10 },
  active: { type: 'boolean' },
  address: { type: 'object', properties: { city: { type: 'string' } } },
};

/** A field of a form; a file where it has a name. */
interface Field {
  readonly field: string;
  readonly content: string | Buffer;
  readonly fileName?: string;
  readonly type?: string;
}

const boundary = 'the-boundary-of-the-test';
const formType = { 'content-type': `multipart/form-data; boundary=${boundary}` };

const formOf = (...fields: readonly Field[]): Buffer =>
  Buffer.concat([
    ...fields.flatMap(({ field, content, fileName, type }) => {
      const name = fileName === undefined ? '' : `; filename="${fileName}"`;
      const contentType = type === undefined ? '' : `Content-Type: ${type}\r\n`;
      return [
        Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${field}"${name}\r\n${contentType}\r\n`),
        Buffer.from(content),
        Buffer.from('\r\n'),
      ];
    }),
    Buffer.from(`--${boundary}--\r\n`),
  ]);

const toNumber = (text: string): number | bigint => {
  const value = Number(text);
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(text) : value;
};

describe('the bulk import', () => {
  const { doors } = setUpDoors({ FDS_BULK_MAX_BYTES: '300000' });

  const newDomain = (specification: Partial<VersionSpecification> = {}): Promise<CreatedVersion> =>
    createVersion(doors.dgs, {
      name: uniqueName('imported'),
      domainType: 'SERVICE_DATA_STORE',
      properties,
      drKeyProperties: ['id'],
      ...specification,
    });

  const post = async (
    query: string,
    body: string | Buffer | AsyncIterable<Buffer>,
    headers: Readonly<Record<string, string>> = {},
    token = doors.dgs.token,
  ): Promise<Answer> => {
    const answer = await exchange<Answer['body']>(`${doors.service.baseUrl}/api/drs/bulk${query}`, {
      method: 'POST',
      headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
      text: body,
    });
    return { status: answer.status, type: String(answer.headers['content-type']), body: answer.body };
  };
  const importFile = (
    { domainName }: CreatedVersion,
    format: keyof typeof types,
    file: string | Buffer | AsyncIterable<Buffer>,
    options?: string,
  ) => {
    const asked = options === undefined ? '' : `&options=${options}`;
    return post(`?filters=name:${domainName}${asked}`, file, { 'content-type': types[format] });
  };
  const recordsOf = async ({ domainName }: CreatedVersion): Promise<unknown[]> => {
    const query = `{ dr_${domainName.replaceAll('-', '_')}_1(size: 100, sort: "id") { data { id name weight active address { city } } } }`;
    const { text } = await doors.dgs.graphql(query);
    const { data } = parse(text, undefined, toNumber) as { data: Record<string, { data: { id: number }[] }> };
    return Object.values(data).flatMap((page) => page.data);
  };
  const counts = ({ total, created, updated, unchanged, failed }: Report) => [
    total,
    created,
    updated,
    unchanged,
    failed,
  ];
  const faults = ({ errors }: Report) => errors.map(({ row, pointer, code }) => [row, pointer, code]);

  const none = { weight: null, active: null, address: null };
  it.each([
    ['json', '[{"id":9223372036854775807,"name":"é"},{"id":2,"name":""},{"id":3,"name":null}]'],
    ['ndjson', '\uFEFF{"id":9223372036854775807,"name":"é"}\r\n\n{"id":2,"name":""}\n{"id":3}'],
    ['csv', 'Name,id\r\né,9223372036854775807\r\n"",2\r\n,3\r\n'],
  ] as const)('takes %s as the body, and as a form', async (format, file) => {
    for (const asForm of [false, true]) {
      const domain = await newDomain();
      const form = formOf({ field: 'file', content: file, fileName: 'records', type: types[format] });
      const { status, body } = asForm
        ? await post(`?filters=name:${domain.domainName},version:1`, form, formType)
        : await importFile(domain, format, file);
      expect([status, counts(body), body.errors]).toEqual([200, [3, 3, 0, 0, 0], []]);
      expect(await recordsOf(domain)).toEqual([
        { id: 2, name: '', ...none },
        { id: 3, name: null, ...none },
        { id: 9_223_372_036_854_775_807n, name: 'é', ...none },
      ]);
    }
  });

  it('knows the format of a file in a form by its name, where the content type does not say', async () => {
    for (const [name, file] of [
      ['a.JSON', '[{"id":1}]'],
      ['a.jsonl', '{"id":1}'],
      ['a.ndjson', '{"id":1}'],
      ['a.csv', 'id\n1'],
    ] as const) {
      const form = formOf({ field: 'file', content: file, fileName: name, type: 'application/octet-stream' });
      const { status, body } = await post(`?filters=name:${(await newDomain()).domainName}`, form, formType);
      expect([status, counts(body)]).toEqual([200, [1, 1, 0, 0, 0]]);
    }
    const unknown = formOf({ field: 'file', content: 'x', fileName: 'a.xlsx' });
    expect((await post(`?filters=name:${(await newDomain()).domainName}`, unknown, formType)).status).toBe(415);
  });

  it('reads nested cells, and cells by their type', async () => {
    const domain = await newDomain();
    const { body } = await importFile(
      domain,
      'csv',
      'id,weight,active,address.city\n1,2.5,TRUE,"Köln, West"\n2,,,\n3,11,no,\n',
    );
    expect(counts(body)).toEqual([3, 2, 0, 0, 1]);
    expect(faults(body)).toEqual([
      [3, '/weight', 'OUT_OF_RANGE'],
      [3, '/active', 'INVALID_TYPE'],
    ]);
    expect(await recordsOf(domain)).toEqual([
      { id: 1, name: null, weight: 2.5, active: true, address: { city: 'Köln, West' } },
      { id: 2, name: null, ...none },
    ]);
  });

  it('replaces by default, creates only when asked to, and lets the last row of a key win', async () => {
    const domain = await newDomain();
    expect(counts((await importFile(domain, 'ndjson', '{"id":1,"name":"a"}\n{"id":2}')).body)).toEqual([2, 2, 0, 0, 0]);
    const again = await importFile(
      domain,
      'ndjson',
      '{"id":1,"name":"b"}\n{"id":2}\n{"id":3,"name":"c"}\n{"id":3}\n',
      'mode:upsert',
    );
    expect(counts(again.body)).toEqual([4, 1, 2, 1, 0]);
    const { body } = await importFile(domain, 'ndjson', '{"id":1}\n{"id":4}\n{"id":4}\n', 'mode:create');
    expect(counts(body)).toEqual([3, 1, 0, 0, 2]);
    expect(faults(body)).toEqual([
      [1, '', 'DUPLICATE_DR_KEY'],
      [3, '', 'DUPLICATE_DR_KEY'],
    ]);
    expect((await recordsOf(domain)).map((record) => (record as { name: unknown }).name)).toEqual([
      'b',
      null,
      null,
      null,
    ]);
  });

  it('saves all or nothing when asked to', async () => {
    const domain = await newDomain();
    const { status, type, body } = await importFile(
      domain,
      'json',
      '[{"id":1},{"id":"x"},{"id":2,"colour":1}]',
      'atomic:true',
    );
    expect([status, type, body['code']]).toEqual([400, 'application/problem+json; charset=utf-8', 'VALIDATION_FAILED']);
    expect(counts(body)).toEqual([3, 0, 0, 0, 2]);
    expect(faults(body)).toEqual([
      [2, '/id', 'INVALID_TYPE'],
      [3, '/colour', 'UNKNOWN_PROPERTY'],
    ]);
    expect(await recordsOf(domain)).toEqual([]);
    const good = await importFile(domain, 'json', '[{"id":1},{"id":2}]', 'mode:create,atomic:true');
    expect([good.status, counts(good.body)]).toEqual([200, [2, 2, 0, 0, 0]]);
  });

  it.each([
    ['json', '[{"id":1},{"id":2},{"id":', 'MALFORMED_JSON', 2],
    ['json', '{"id":1}', 'MALFORMED_JSON', 0],
    ['json', '', 'MALFORMED_JSON', 0],
    ['ndjson', '{"id":1}\n{"id":', 'MALFORMED_JSON', 1],
    ['csv', 'id,name\n1,a\n2,"b', 'MALFORMED_CSV', 1],
    ['csv', '', 'MALFORMED_CSV', 0],
    ['csv', 'id,colour\n1,red', 'VALIDATION_FAILED', 0],
    ['json', Buffer.from('[{"id":1},{"id":2,"name":"\xff"}]', 'latin1'), 'MALFORMED_JSON', 1],
    ['json', Buffer.from('[{"id":1}]', 'utf16le'), 'MALFORMED_JSON', 0],
  ] as const)('answers a broken file (%s %j) with %s and the counts so far', async (format, file, code, created) => {
    const { status, body } = await importFile(await newDomain(), format, file);
    expect([status, body['code'], counts(body)]).toEqual([400, code, [created, created, 0, 0, 0]]);
  });

  it('takes hostile rows for what they are', async () => {
    const domain = await newDomain();
    const deep = `{"id":1,"name":${'['.repeat(2000)}${']'.repeat(2000)}}`;
    const file = `${deep}\n{"id":1,"__proto__":{"active":true}}\n{"constructor":{"prototype":{"x":1}},"id":2}\n{"id":3,"name":"\\u0000"}\n7\n{"id":4}`;
    const { status, body } = await importFile(domain, 'ndjson', file);
    expect([status, counts(body)]).toEqual([200, [6, 1, 0, 0, 5]]);
    expect(body.errors.map(({ row }) => row)).toEqual([1, 2, 3, 4, 5]);
    // as a form: the document says that a row of a JSON body is an object
    const rows = formOf({ field: 'file', content: `[${file.split('\n').join(',')}]`, fileName: 'rows.json' });
    const json = await post(`?filters=name:${domain.domainName}`, rows, formType);
    expect([json.status, counts(json.body)]).toEqual([200, [6, 0, 0, 1, 5]]);
  });

  it('refuses a file over the limit and imports no row of it', async () => {
    const domain = await newDomain();
    const row = `${JSON.stringify({ id: 1, name: 'x'.repeat(100) })}\n`;
    const file = Buffer.from(row.repeat(3000));
    const chunked = async function* (): AsyncGenerator<Buffer> {
      for (let at = 0; at < file.length; at += 10_000) yield file.subarray(at, at + 10_000);
    };
    const form = formOf({ field: 'file', content: file, fileName: 'a.ndjson' });
    for (const answer of [
      await importFile(domain, 'ndjson', Buffer.concat([file, file])),
      await importFile(domain, 'ndjson', file),
      await importFile(domain, 'ndjson', chunked()),
      await post(`?filters=name:${domain.domainName}`, form, formType),
    ]) {
      expect([answer.status, answer.body['code']]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    }
    expect(await recordsOf(domain)).toEqual([]);
    expect((await importFile(domain, 'ndjson', file.subarray(0, 299_000))).status).toBe(400);
  });

  it.each([
    ['', 'INVALID_PARAMETER', 400],
    ['?filters=version:1', 'INVALID_PARAMETER', 400],
    ['?filters=name:nowhere-at-all', 'NOT_FOUND', 404],
    ['?filters=name:x,colour:red', 'INVALID_PARAMETER', 400],
    ['?filters=name:x&options=mode:merge', 'INVALID_PARAMETER', 400],
    ['?filters=name:x&options=atomic:maybe', 'INVALID_PARAMETER', 400],
    ['?filters=name:x&size=1', 'INVALID_PARAMETER', 400],
  ])('refuses the query string %j with %s', async (query, code, status) => {
    const answer = await post(query, '[]', { 'content-type': types.json });
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
  });

  it('refuses other media types, encodings and forms', async () => {
    const query = `?filters=name:${(await newDomain()).domainName}`;
    const statusOf = async (headers: Readonly<Record<string, string>>, body = '[]') =>
      (await post(query, body, headers)).status;
    expect(await statusOf({ 'content-type': 'application/xml' })).toBe(415);
    expect(await statusOf({})).toBe(415);
    expect(await statusOf({ 'content-type': 'text/csv; charset=iso-8859-1' })).toBe(415);
    expect(await statusOf({ 'content-type': types.json, 'content-encoding': 'gzip' })).toBe(415);
    expect(await statusOf({ 'content-type': 'multipart/form-data; boundary=x' }, '--x\r\nno')).toBe(400);
    expect(await statusOf({ 'content-type': 'multipart/form-data' })).toBe(400);
    const file = { field: 'file', content: '[{"id":1}]', fileName: 'a.json' };
    for (const form of [
      formOf({ ...file, field: 'document' }),
      formOf(file, { field: 'comment', content: 'x' }),
      formOf(file, file),
      formOf(file).subarray(0, 100),
    ]) {
      const { status, body } = await post(query, form, formType);
      expect([status, body['code']]).toEqual([400, 'VALIDATION_FAILED']);
    }
    expect(counts((await post(query, '[{"id":1}]', { 'content-type': types.json })).body)).toEqual([1, 1, 0, 0, 0]);
  });

  it('needs the permission', async () => {
    const statusOf = async (token: string | undefined) =>
      (await post('?filters=name:x', '[]', { 'content-type': types.json }, token)).status;
    expect(await statusOf('')).toBe(401);
    expect(await statusOf(doors.admin.token)).toBe(403);
  });

  it('takes effect once with an Idempotency-Key', async () => {
    const domain = await newDomain();
    const query = `?filters=name:${domain.domainName}&options=mode:create`;
    const headers = { 'content-type': types.json, 'idempotency-key': uniqueName('key') };
    const first = await post(query, '[{"id":1}]', headers);
    expect(counts(first.body)).toEqual([1, 1, 0, 0, 0]);
    expect((await post(query, '[{"id":1}]', headers)).body).toEqual(first.body);
    expect((await post(query, '[{"id":2}]', headers)).status).toBe(409);
  });

  it('enters federated records in the catalogue, without their data', async () => {
    const domain = await newDomain({ domainType: 'FEDERATED' });
    const { body } = await importFile(domain, 'csv', 'id,name\n1,a\n2,b\n');
    expect(counts(body)).toEqual([2, 2, 0, 0, 0]);
    const listed = requireStatus(
      await doors.dgs.rest<{ drs: readonly { drKey: unknown; json?: unknown }[] }>(
        'GET',
        `/drs?filters=name:${domain.domainName}&sort=id`,
      ),
      200,
    );
    expect(listed.body.drs.map(({ drKey, json }) => [drKey, json ?? null])).toEqual([
      [{ id: 1 }, null],
      [{ id: 2 }, null],
    ]);
    expect(counts((await importFile(domain, 'csv', 'id,name\n1,c\n3,d\n')).body)).toEqual([2, 1, 0, 1, 0]);
  });

  it('is part of the OpenAPI document with all its media types', async () => {
    const { body } = await doors.anyone.call<{
      paths: Record<string, Record<string, { requestBody: { content: object } }>>;
    }>('/api/openapi.json');
    expect(Object.keys(body.paths['/drs/bulk']?.['post']?.requestBody.content ?? {})).toEqual([
      ...Object.values(types),
      'multipart/form-data',
    ]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formatSequence } from '@fds/adaptor-protocol';
import { request } from 'undici';
import { openFuzzStage, validRecord, type FuzzStage } from '../../fuzz/open-fuzz-stage.js';
import { requireStatus } from '../../harness/catalogue.js';
import { exchange } from '../../harness/exchange.js';
import { createLeftovers } from '../../harness/leftovers.js';

const members = (count: number): string => Array.from({ length: count }, (_, n) => `"m${n}":1`).join(',');

interface Issue {
  readonly domainVersion: { readonly domain: { readonly name: string } } | null;
  readonly errors: readonly { readonly pointer: string; readonly code: string; readonly detail: string }[];
}

/** Each of these inputs took more than 50 ms in one piece. The answer names the bound. */
describe('an input that is too long to be read in a short time', () => {
  const leftovers = createLeftovers();
  let stage: FuzzStage;

  beforeAll(async () => {
    stage = await openFuzzStage(leftovers, 1);
  }, 120_000);
  afterAll(() => leftovers.dispose(), 120_000);

  it.each([
    [
      'a sort',
      'INVALID_PARAMETER',
      'a sort has at most 10000 characters',
      'query ($v: String) { dr_store_1(sort: $v) { data { id } } }',
      () => 'id,'.repeat(3_334),
    ],
    [
      'a list',
      'INVALID_PARAMETER',
      'Variable "$v" has more than 10000 elements.',
      'query ($v: [Uuid!]) { dr_federated_1(drUuids: $v) { data { id } } }',
      () => Array.from({ length: 10_001 }, () => '01890000-0000-7000-8000-00000000dead'),
    ],
  ])('is refused by GraphQL: %s', async (_, code, message, query, write) => {
    const { body } = await stage.doors.dgs.graphql(query, { v: write() });
    expect(body.errors).toMatchObject([{ message, extensions: { code } }]);
  });

  it('is refused by GraphQL: a text of more than 20 000 lines in a document', async () => {
    const documentOf = (lines: number) =>
      `query L${lines} { domains(domainName: """${'x\n'.repeat(lines)}""") { page { page } } }`;
    expect((await stage.doors.dgs.graphql(documentOf(19_999))).body.errors).toBeUndefined();
    expect((await stage.doors.dgs.graphql(documentOf(20_000))).body.errors).toMatchObject([
      { message: 'the document has more than 20000 lines', extensions: { code: 'QUERY_TOO_COMPLEX' } },
    ]);
  });

  it('is refused by a dry-run: a change of more than 10 000 members', async () => {
    const { dgs, root } = stage.doors;
    const { domainVersionUuid } = stage.store;
    const change = { action: 'POST', domainVersionUuid, jsonData: `{${members(10_001)}}` };
    expect(await dgs.rest('POST', `/zones/${root}/acls/dry-run`, change)).toMatchObject({
      status: 400,
      body: {
        errors: [
          {
            pointer: '/jsonData',
            code: 'WRONG_FORMAT',
            detail: 'must be a JSON-encoded object: an object has more than 10000 members',
          },
        ],
      },
    });
  });

  it('is refused by a model: an enum of more than 10 000 values', async () => {
    const { dgs } = stage.doors;
    const versionOf = (values: number) => ({
      modelSchema: {
        properties: {
          id: { type: 'string', pattern: 'v[0-9]*', enum: Array.from({ length: values }, (_, n) => `v${n}`) },
        },
      },
      drKeyProperties: ['id'],
    });
    const path = `/domains/${stage.store.domainUuid}/versions?validate-only=true`;
    expect((await dgs.rest('POST', path, versionOf(10_000))).body).not.toHaveProperty('errors');
    expect(await dgs.rest('POST', path, versionOf(10_001))).toMatchObject({
      body: { errors: [{ pointer: '/modelSchema/properties/id/enum', code: 'OUT_OF_RANGE' }] },
    });
  });

  it('is refused by the authorization server: more than 100 parameters in an address', async () => {
    const { baseUrl } = stage.doors.service;
    const answer = await request(`${baseUrl}/oauth2/auth?${'scope=a&'.repeat(101)}`);
    expect({ status: answer.statusCode, body: await answer.body.json() }).toEqual({
      status: 400,
      body: { error: 'invalid_request', error_description: 'the address has more than 100 parameters' },
    });
  });

  it.each([
    ['sort', 'id,'.repeat(3_334), '/sort', 'TOO_LONG'],
    ['requestedProperties', [`id${'.a'.repeat(10_000)}`], '/requestedProperties/0', 'UNKNOWN_PROPERTY'],
  ])('is refused by assembly: %s', async (name, value, pointer, code) => {
    const { service, dgs, root } = stage.doors;
    const json = { zoneUuid: root, domain: 'store', versionNumber: 1, [name]: value };
    expect(
      await exchange(`${service.assemblyUrl}/request`, {
        method: 'POST',
        json,
        ...(dgs.token === undefined ? {} : { token: dgs.token }),
      }),
    ).toMatchObject({ status: 400, body: { errors: [{ pointer, code }] } });
  });

  it('becomes a data issue of the bus that names the version: a record of more than 10 000 members', async () => {
    const { dgs } = stage.doors;
    const [adaptor] = stage.adaptors;
    if (adaptor === undefined) throw new Error('no adaptor');
    const place = adaptor.place();
    const { epoch, sequence, id, source, time, transactionUuid } = place;
    const json = `${JSON.stringify(validRecord).slice(0, -1)},${members(10_000)}}`;
    const data = `{"action":"PUT","domain":"store","version":1,"transactionUuid":"${transactionUuid}","createTime":1,"json":${json}}`;
    const message = `{"specversion":"1.0","id":"${id}","source":"${source}","type":"fds.data.v1","time":"${time}","epoch":"${epoch}","sequence":"${formatSequence(sequence)}","data":${data}}`;
    expect(await adaptor.say('up/data', message)).toBe(true);
    await adaptor.untilDone(place);
    const path = `/zones/${stage.doors.root}/issues?size=1`;
    const { issues } = requireStatus(await dgs.rest<{ issues: readonly Issue[] }>('GET', path), 200).body;
    expect(issues).toMatchObject([
      {
        domainVersion: { domain: { name: 'store' } },
        errors: [{ pointer: '/json', code: 'OUT_OF_RANGE', detail: 'has more than 10000 members' }],
      },
    ]);
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { createVersion } from '../../harness/catalogue.js';
import { exchange, type RawAnswer, type Sent } from '../../harness/exchange.js';
import { expectProblem, type ExpectedProblem } from '../expect-problem.js';
import { shareDoors } from '../set-up-doors.js';

describe('refusals of the assembly service', () => {
  const { doors } = shareDoors();

  beforeAll(async () => {
    await createVersion(doors.dgs, {
      name: 'assembled',
      domainType: 'FEDERATED',
      properties: { id: { type: 'string' }, city: { type: 'string' } },
      drKeyProperties: ['id'],
    });
  }, 120_000);

  const ask = (path: string, sent: Sent): Promise<RawAnswer> =>
    exchange(`${doors.service.assemblyUrl}${path}`, { token: doors.dgs.token ?? '', method: 'POST', ...sent });
  const invalid = (...pointers: string[]): ExpectedProblem => ({ status: 400, code: 'VALIDATION_FAILED', pointers });
  const domain = 'assembled';

  it.each([
    ['no domain', {}, invalid('/domain')],
    ['an unknown member', { domain, colour: 'red' }, invalid('/colour')],
    ['a list', [], invalid()],
    ['a size of 0', { domain, size: 0 }, invalid('/size')],
    ['a size of 1001', { domain, size: 1001 }, invalid('/size')],
    ['a page below 0', { domain, page: -1 }, invalid('/page')],
    ['an unknown policy', { domain, releasePolicy: 'PLATINUM' }, invalid('/releasePolicy')],
    ['a time-out in words', { domain, timeout: 'soon' }, invalid('/timeout')],
    ['invalid uuids', { domain, adaptors: ['x'], drUuids: ['y'] }, invalid('/adaptors/0', '/drUuids/0')],
    ['an unknown domain', { domain: 'nowhere' }, { status: 404, code: 'NOT_FOUND' }],
    ['an unknown version', { domain, versionNumber: 9 }, { status: 404, code: 'NOT_FOUND' }],
  ] as const)('name %s', async (_, json, expected) => {
    // other files of the service make the steward a user of several zones
    const named = 'length' in json ? json : { zoneUuid: doors.root, ...json };
    expectProblem(await ask('/request', { json: named }), expected);
  });

  it('name every cause at once', async () => {
    const json = { zoneUuid: doors.root, domain: 5, size: 0, expandRefs: 'yes', drKeys: {} };
    expectProblem(await ask('/request', { json }), invalid('/domain', '/size', '/expandRefs', '/drKeys'));
  });

  it('report malformed JSON, an unknown path, and a wrong method or media type', async () => {
    const headers = { 'content-type': 'application/json' };
    expectProblem(await ask('/request', { headers, text: '{"domain": ' }), { status: 400, code: 'MALFORMED_JSON' });
    expectProblem(await ask('/nowhere', { json: {} }), { status: 404, code: 'NOT_FOUND' });
    const wrongMethod = await ask('/request', { method: 'GET' });
    expectProblem(wrongMethod, { status: 405, code: 'METHOD_NOT_ALLOWED' });
    expect(wrongMethod.headers['allow']).toContain('POST');
    expectProblem(await ask('/request', { headers: { 'content-type': 'text/plain' }, text: '{}' }), {
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    });
    expectProblem(await ask('/request', { headers: { accept: 'image/png' }, json: { zoneUuid: doors.root, domain } }), {
      status: 406,
      code: 'NOT_ACCEPTABLE',
    });
  });

  it('do not include a domain without records', async () => {
    const answer = await ask('/request', { json: { domain, zoneUuid: doors.root } });
    expect(answer).toMatchObject({
      status: 200,
      body: { domain, versionNumber: 1, assembledDataRecords: [], _page: { totalElements: 0, page: 0, size: 10 } },
    });
  });
});

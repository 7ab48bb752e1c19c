import { describe, expect, it } from '@jest/globals';
import { ask, json, recording } from './testing/ask.js';
import { uuid } from './testing/samples.js';

describe('POST /request of the assembly service', () => {
  it('hands the request on and answers the response as it is, exact to the digit', async () => {
    const { args, fields } = recording('assemble', { response: {} });
    const body = `{"domain":"customer","drKeys":[{"id":9223372036854775807}],"adaptors":["${uuid}"],"size":5}`;
    expect((await ask(fields, json('POST', '/request', body))).status).toBe(200);
    expect(args).toEqual([
      {
        request: expect.objectContaining({
          domain: 'customer',
          drKeys: [{ id: 9223372036854775807n }],
          adaptors: [uuid],
          size: 5,
        }),
      },
    ]);
  });

  it('splices the JSON of the response', async () => {
    const { text } = await ask(
      { assemble: () => ({ response: { exact: 9223372036854775807n } }) },
      json('POST', '/request', '{"domain":"c"}'),
    );
    expect(text).toBe('{"exact":9223372036854775807}');
  });

  it('names every fault of the body', async () => {
    const { status, json: problem } = await ask(
      {},
      json('POST', '/request', '{"domain":1,"releasePolicy":"PLATINUM","colour":"red"}'),
    );
    expect(status).toBe(400);
    expect(problem['errors']).toEqual(
      expect.arrayContaining(
        ['/domain', '/releasePolicy', '/colour'].map((pointer) => expect.objectContaining({ pointer })),
      ),
    );
  });

  it('demands GET on /drs', async () => {
    const request = json('POST', '/request', '{"domain":"c"}');
    expect(
      (await ask({ assemble: () => ({ response: {} }) }, request, [{ action: 'GET', resource: '/drs' }])).status,
    ).toBe(200);
    expect((await ask({}, request, [{ action: 'POST', resource: '/request' }])).status).toBe(403);
  });
});

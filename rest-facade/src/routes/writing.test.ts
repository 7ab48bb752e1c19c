import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@fds/json';
import { ask, json, recording } from '../testing/ask.js';
import { baseUrl, type RootFields } from '../testing/open-facade.js';
import { zone, adaptor, uuid, other, time } from '../testing/samples.js';

describe('writing', () => {
  it('creates with 201 and a location', async () => {
    const { args, fields } = recording('createDomain', { ...zone, domainType: 'FEDERATED', versionSummaries: [] });
    const { status, headers } = await ask(fields, json('POST', '/api/domains', '{"name":"person"}'));
    expect([status, headers['location']]).toEqual([201, `${baseUrl}/api/domains/${uuid}`]);
    expect(args).toEqual([{ input: { name: 'person' } }]);
  });

  it('returns the credentials among the members of a created adaptor', async () => {
    const fields: RootFields = { createAdaptor: () => ({ adaptor, clientId: other, clientSecret: 's' }) };
    const { headers, json: body } = await ask(fields, json('POST', `/api/zones/${uuid}/adaptors`, '{"name":"crm"}'));
    expect(headers['location']).toBe(`${baseUrl}/api/zones/${uuid}/adaptors/${other}`);
    expect(body).toMatchObject({ uuid: other, name: 'crm', clientId: other, clientSecret: 's' });
  });

  it('accepts the content of a GET, and ignores members that only the server sets', async () => {
    const got = await ask(
      { adaptor: () => adaptor },
      { url: `/api/zones/${uuid}/adaptors/${other}?options=include-linkages:true` },
    );
    const { args, fields } = recording('replaceAdaptor', adaptor);
    const { status } = await ask(fields, json('PUT', `/api/zones/${uuid}/adaptors/${other}`, got.text));
    expect(status).toBe(200);
    expect(args).toEqual([
      {
        zoneUuid: uuid,
        adaptorUuid: other,
        input: {
          name: 'crm',
          description: null,
          adaptorTypeUuid: uuid,
          discoveryMode: false,
          deletionLimit: { percent: 10, minimum: 100, seconds: 60 },
          active: true,
          capabilities: adaptor.capabilities,
          metadata: adaptor.metadata,
          changeVersion: 3,
        },
      },
    ]);
  });

  it('accepts the answer that created the resource', async () => {
    const { args, fields } = recording('replaceAdaptor', adaptor);
    const body = JSON.stringify({ name: 'crm', changeVersion: 3, clientId: other, clientSecret: 's' });
    const { status } = await ask(fields, json('PUT', `/api/zones/${uuid}/adaptors/${other}`, body));
    expect([status, args]).toEqual([
      200,
      [{ zoneUuid: uuid, adaptorUuid: other, input: { name: 'crm', changeVersion: 3 } }],
    ]);
  });

  it('passes on 64-bit integers exactly, and the nulls of a PATCH as nulls', async () => {
    const { args, fields } = recording('createDataRecord', {
      uuid,
      domainVersionUuid: other,
      dateCreated: time,
      changeVersion: 1,
      drKey: { id: 9223372036854775807n },
      domainType: 'SERVICE_DATA_STORE',
      json: { id: 9223372036854775807n },
    });
    const { text } = await ask(
      fields,
      json('POST', '/api/drs', '{"name":"p","json":{"id":9223372036854775807,"x":null}}'),
    );
    expect(args).toEqual([{ input: { name: 'p', json: { id: 9223372036854775807n, x: null } } }]);
    expect(text).toContain('"json":{"id":9223372036854775807}');
  });

  it('reports every unknown, missing and mistyped member', async () => {
    const body = '{"name":1,"colour":"red","domain":{"name":7,"uid":1},"drKeyProperties":["a",2],"changeVersion":1.5}';
    const { status, json: problem } = await ask({}, json('PUT', `/api/domains/versions/${uuid}`, body));
    expect([status, problem['code']]).toEqual([400, 'VALIDATION_FAILED']);
    expect((problem['errors'] as JsonObject[]).map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/name', 'UNKNOWN_MEMBER'],
      ['/colour', 'UNKNOWN_MEMBER'],
      ['/domain/name', 'WRONG_TYPE'],
      ['/domain/uid', 'UNKNOWN_MEMBER'],
      ['/drKeyProperties/1', 'WRONG_TYPE'],
      ['/changeVersion', 'WRONG_TYPE'],
    ]);
  });

  it('answers 200 when it only validates', async () => {
    const errors = [{ pointer: '/drKeyProperties', code: 'REQUIRED', detail: 'drKeyProperties is required' }];
    const fields: RootFields = { createDomainVersion: () => ({ domainVersion: null, errors }) };
    const url = `/api/domains/${uuid}/versions?validate-only=true`;
    const { status, json: body } = await ask(fields, json('POST', url, '{"modelSchema":{}}'));
    expect(status).toBe(200);
    expect(body).toEqual({ errors });
  });

  it('adds one ACL entry or several, and answers in the form of the request', async () => {
    const entry = { ...zone, position: 0, properties: null };
    const fields: RootFields = { createInboundAcls: () => [entry] };
    const url = `/api/zones/${uuid}/inbound-acls?append=true`;
    const one = await ask(fields, json('POST', url, '{"get":"DENY"}'));
    expect([one.status, one.headers['location'], one.json['uuid']]).toEqual([
      201,
      `${baseUrl}/api/zones/${uuid}/inbound-acls/${uuid}`,
      uuid,
    ]);
    const several = await ask(fields, json('POST', url, '[{"get":"DENY"}]'));
    expect([several.status, several.headers['location']]).toEqual([201, undefined]);
    expect(several.json['inboundAcls']).toHaveLength(1);
  });

  it('deletes with 204 and no body', async () => {
    const { args, fields } = recording('deleteAdaptor', true);
    const url = `/api/zones/${uuid}/adaptors/${other}?force=true`;
    const { status, text } = await ask(fields, { method: 'DELETE', url });
    expect([status, text]).toEqual([204, '']);
    expect(args).toEqual([{ zoneUuid: uuid, adaptorUuid: other, force: true }]);
  });
});

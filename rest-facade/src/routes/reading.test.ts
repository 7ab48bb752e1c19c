import { describe, expect, it } from '@jest/globals';
import { AppError } from '@fds/errors';
import { ask } from '../testing/ask.js';
import { zone, version, adaptor, uuid, other } from '../testing/samples.js';

describe('reading', () => {
  it('shows times as epoch milliseconds, 64-bit integers exactly, and nulls', async () => {
    const { status, headers, json: body } = await ask({ zone: () => zone }, { url: `/api/zones/${uuid}` });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body).toEqual({
      uuid,
      zoneUuid: uuid,
      name: 'Root',
      description: null,
      parentZoneUuid: null,
      geoCoordinates: null,
      reconcile: null,
      active: true,
      createdByUuid: null,
      dateCreated: 1_700_000_000_123,
      lastUpdated: 1_700_000_000_123,
      changeVersion: 9007199254740993n,
    });
  });

  it('shows Json natively, and a lifted member in the place of its object', async () => {
    const { json: body } = await ask({ domainVersion: () => version }, { url: `/api/domains/versions/${other}` });
    expect(body['modelSchema']).toEqual(version.modelSchema);
    expect(body['matchingAlgorithm']).toEqual({ type: 'EXACT' });
  });

  it('leaves out members that no option requests', async () => {
    const url = `/api/zones/${uuid}/adaptors/${other}`;
    const without = await ask({ adaptor: () => adaptor }, { url });
    expect(without.json).not.toHaveProperty('linkageCount');
    const asked = await ask({ adaptor: () => adaptor }, { url: `${url}?options=include-linkages:true` });
    expect(asked.json['linkageCount']).toBe(5);
  });

  it('shows only the requested fields, also below Json', async () => {
    const url = `/api/zones/${uuid}/adaptors/${other}?fields=name,adaptorType.name,metadata.big,capabilities.action`;
    const { json: body } = await ask({ adaptor: () => adaptor }, { url });
    expect(body).toEqual({
      name: 'crm',
      adaptorType: { name: 'default' },
      capabilities: [{ action: 'POST' }],
      metadata: { big: 9223372036854775807n },
    });
  });

  it('is 404 for a name that is not a UUID and for an unknown resource', async () => {
    const unknown = await ask({ zone: () => null }, { url: '/api/zones/nonsense' });
    expect([unknown.status, unknown.json['code']]).toEqual([404, 'NOT_FOUND']);
    const missing = await ask(
      {
        zone: () => {
          throw new AppError('NOT_FOUND', 'no such zone');
        },
      },
      { url: `/api/zones/${uuid}` },
    );
    expect([missing.status, missing.json['code'], missing.json['detail']]).toEqual([404, 'NOT_FOUND', 'no such zone']);
  });
});

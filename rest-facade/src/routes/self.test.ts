import { describe, expect, it } from '@jest/globals';
import { ask } from '../testing/ask.js';
import { baseUrl, openFacade } from '../testing/open-facade.js';
import { uuid } from '../testing/samples.js';

describe('the endpoints about the API itself', () => {
  it("returns the token with the server's data about its holder", async () => {
    const { json: body } = await ask(
      { caller: () => ({ sub: uuid, username: 'admin', zones: [] }) },
      { url: '/api/token' },
    );
    expect(body).toEqual({
      active: true,
      clientId: 'admin',
      issuer: baseUrl,
      issuedAt: 1_000_000,
      expiresAt: 4_600_000,
      scope: 'api',
      sub: uuid,
      username: 'admin',
      ssoId: null,
      zones: [],
      adaptorUuid: null,
    });
  });

  it('returns only the requested members of the token', async () => {
    const zone = { zoneUuid: uuid, zoneName: 'Root', zoneUserUuid: uuid, default: true, roles: [], groups: [] };
    const caller = () => ({ sub: uuid, username: 'admin', zones: [zone] });
    const { json: body } = await ask({ caller }, { url: '/api/token?fields=username,expiresAt,zones.zoneName' });
    expect(body).toEqual({ expiresAt: 4_600_000, username: 'admin', zones: [{ zoneName: 'Root' }] });
    const refused = await ask({}, { url: '/api/token?fields=colour' });
    expect([refused.status, refused.json['errors']]).toMatchObject([400, [{ code: 'UNKNOWN_FIELD' }]]);
  });

  it('shows the GraphQL schema as text, and as JSON if requested', async () => {
    const { headers, text } = await ask({}, { url: '/api/graphql-schema' });
    expect(headers['content-type']).toContain('text/plain');
    expect(text).toContain('type Zone {');
    const introspection = await ask({}, { url: '/api/graphql-schema', headers: { accept: 'application/json' } });
    expect(introspection.json['data']).toHaveProperty('__schema');
  });

  it('lists every endpoint with its permission', async () => {
    const { json: body } = await ask({}, { url: '/api/endpoints' });
    expect(body['endpoints']).toContainEqual(
      expect.objectContaining({
        method: 'PUT',
        path: '/zones/{zoneUuid}',
        permission: { action: 'PUT', resource: '/zones/{zoneUuid}' },
      }),
    );
  });

  it('shows the documentation without a token and without other hosts', async () => {
    const server = await openFacade({});
    const page = await server.inject({ url: '/docs' });
    expect(page.statusCode).toBe(200);
    expect(page.body).not.toMatch(/(?:src|href)="https?:/);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect((await server.inject({ url: '/api/openapi.json' })).json()).toHaveProperty('openapi', '3.1.0');
    expect((await server.inject({ url: '/docs/errors' })).body).toContain('id="STALE_CHANGE_VERSION"');
    await server.close();
  });
});

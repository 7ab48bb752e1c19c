import { describe, expect, it } from '@jest/globals';
import { tokenMembers } from './token-members.js';

const bearer = (claims: object): string => `Bearer e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;

describe('tokenMembers', () => {
  it('returns the claims, with times in epoch milliseconds', () => {
    const claims = { iss: 'http://localhost', client_id: 'crm-ü', iat: 10, exp: 70, scope: 'api' };
    expect(tokenMembers(bearer(claims))).toEqual({
      active: true,
      clientId: 'crm-ü',
      issuer: 'http://localhost',
      issuedAt: 10_000,
      expiresAt: 70_000,
      scope: 'api',
    });
  });

  it('leaves out absent claims', () => {
    expect(JSON.parse(JSON.stringify(tokenMembers(bearer({ scope: 7 }))))).toEqual({ active: true });
  });
});

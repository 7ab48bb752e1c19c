import { describe, expect, it } from '@jest/globals';
import fastify from 'fastify';
import { createFrameworkErrors } from './framework-errors.js';

describe('createFrameworkErrors', () => {
  it('answers an address that cannot be decoded with a problem', async () => {
    const server = fastify({ frameworkErrors: createFrameworkErrors('http://localhost') });
    const response = await server.inject({ url: '/api/zones/%zz', headers: { 'x-request-id': 'r-1' } });
    await server.close();
    expect(response.statusCode).toBe(400);
    expect(response.headers['content-type']).toContain('application/problem+json');
    expect(response.json()).toMatchObject({ code: 'INVALID_PARAMETER', requestId: 'r-1', instance: '/api/zones/%zz' });
  });
});

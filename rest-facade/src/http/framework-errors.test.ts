import { describe, expect, it } from '@jest/globals';
import fastify from 'fastify';
import { createFrameworkErrors } from './framework-errors.js';

describe('createFrameworkErrors', () => {
  it.each([
    ['cannot be decoded', '/api/zones/%zz', 400, 'INVALID_PARAMETER'],
    ['is longer than any path', `/api/zones/${'x'.repeat(200)}`, 404, 'NOT_FOUND'],
  ])('answers an address that %s with a problem', async (_, url, status, code) => {
    const server = fastify({ frameworkErrors: createFrameworkErrors('http://localhost') });
    server.get('/api/zones/:zoneUuid', () => 'found');
    const response = await server.inject({ url: `${url}?a=b`, headers: { 'x-request-id': 'r-1' } });
    await server.close();
    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toContain('application/problem+json');
    expect(response.json()).toMatchObject({ code, requestId: 'r-1', instance: url });
  });
});

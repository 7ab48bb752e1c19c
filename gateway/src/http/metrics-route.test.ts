import { AppError } from '@fds/errors';
import { describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { registerMetricsRoute } from './metrics-route.js';

const ask = async (remoteAddress: string, headers: Readonly<Record<string, string>> = {}): Promise<number> => {
  const app = fastify();
  registerMetricsRoute(app, { metrics: { contentType: 'text/plain', text: async () => 'up 1\n' } }, async (given) => {
    if (given !== 'Bearer good') throw Object.assign(new AppError('UNAUTHENTICATED', 'no token'), { statusCode: 401 });
  });
  const { statusCode } = await app.inject({ url: '/metrics', remoteAddress, headers });
  await app.close();
  return statusCode;
};

describe('GET /metrics', () => {
  it.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])('is open to %s', async (address) => {
    expect(await ask(address)).toBe(200);
  });

  it.each(['10.0.0.9', '::ffff:10.0.0.9', '128.0.0.1'])('requires a token from %s', async (address) => {
    expect(await ask(address)).toBe(401);
    expect(await ask(address, { authorization: 'Bearer good' })).toBe(200);
  });

  it.each(['x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'via', 'forwarded'])(
    'requires a token for requests that a proxy on this host forwards by %s',
    async (name) => {
      expect(await ask('127.0.0.1', { [name]: '127.0.0.1' })).toBe(401);
    },
  );
});

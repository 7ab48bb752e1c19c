import { codingOf, pack, varyBy, withCoding, type Coding } from '@fds/rest-facade';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Compressing shorter answers is not worth it. */
const minBytes = 1024;
/** A longer answer is not compressed, so that the work for one answer is bounded. */
const maxBytes = 8 * 2 ** 20;
/** Node has four threads for such work, and also needs them for files, DNS and passwords. */
const maxAtOnce = 2;
/** Low levels, because each answer is compressed while it is sent. */
const quality = { br: 4, gzip: 5 };

const retag = (reply: FastifyReply, coding: Coding): void => {
  const tag = reply.getHeader('etag');
  if (typeof tag === 'string') void reply.header('etag', withCoding(tag, coding));
};

/** Is it a complete text that is worth compressing? Streams are not compressed. */
const isWorthwhile = (payload: unknown, reply: FastifyReply): payload is string =>
  typeof payload === 'string' &&
  payload.length >= minBytes &&
  payload.length <= maxBytes &&
  !reply.hasHeader('content-encoding') &&
  !String(reply.getHeader('cache-control') ?? '').includes('no-transform');

/**
 * Compresses answers of more than a kilobyte, for clients that accept it, outside the main thread. While two answers
 * are being compressed, a further one is sent uncompressed. Call it before the routes are added.
 */
export const compressAnswers = (app: FastifyInstance): void => {
  let atOnce = 0;
  app.addHook('onSend', async (request, reply, payload) => {
    if (!isWorthwhile(payload, reply)) return payload;
    varyBy(reply, 'accept-encoding');
    const coding = codingOf(request);
    if (coding === undefined || atOnce >= maxAtOnce) return payload;
    atOnce += 1;
    try {
      const packed = await pack(coding, Buffer.from(payload), quality);
      void reply.header('content-encoding', coding).removeHeader('content-length');
      retag(reply, coding);
      return packed;
    } finally {
      atOnce -= 1;
    }
  });
};

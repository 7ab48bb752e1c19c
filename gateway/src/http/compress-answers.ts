import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import { withCoding } from '@fds/rest-facade';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

type Coding = 'br' | 'gzip';

/** Preferred first, where a client takes several equally. */
const codings: Coding[] = ['br', 'gzip'];

/** Shorter answers gain nothing. */
const minBytes = 1024;
/** A longer answer is not compressed: the work for one answer is bounded. */
const maxBytes = 8 * 2 ** 20;
/** Node has four threads for such work, and also needs them for files, names and passwords. */
const maxAtOnce = 2;

const packGzip = promisify(gzip);
const packBrotli = promisify<Buffer, object, Buffer>(brotliCompress);

const pack = (coding: Coding, body: Buffer): Promise<Buffer> =>
  coding === 'gzip'
    ? packGzip(body, { level: 5 })
    : packBrotli(body, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: 4,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        },
      });

/** Names a request header that the answer depends on. */
const varyBy = (reply: FastifyReply, header: string): void => {
  const known = String(reply.getHeader('vary') ?? '');
  if (
    known === '*' ||
    known
      .toLowerCase()
      .split(/\s*,\s*/)
      .includes(header)
  )
    return;
  void reply.header('vary', known === '' ? header : `${known}, ${header}`);
};

/** The coding that the client likes best; undefined: it takes no coding. */
const codingOf = ({ headers, method }: FastifyRequest): Coding | undefined => {
  const accepted = headers['accept-encoding'];
  // the answer to HEAD has no body
  if (accepted === undefined || method === 'HEAD') return undefined;
  return negotiate<Coding>(accepted.toLowerCase(), codings) ?? undefined;
};

const retag = (reply: FastifyReply, coding: Coding): void => {
  const tag = reply.getHeader('etag');
  if (typeof tag === 'string') void reply.header('etag', withCoding(tag, coding));
};

/** Is it a whole text that is worth the work? Streams are not compressed. */
const isWorthwhile = (payload: unknown, reply: FastifyReply): payload is string =>
  typeof payload === 'string' &&
  payload.length >= minBytes &&
  payload.length <= maxBytes &&
  !reply.hasHeader('content-encoding') &&
  !String(reply.getHeader('cache-control') ?? '').includes('no-transform');

/**
 * Compresses answers of more than a kilobyte for clients that ask for it, outside the thread that serves requests. While two
 * answers are being compressed, a further one is sent uncompressed. To be called before the routes are added.
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
      const packed = await pack(coding, Buffer.from(payload));
      void reply.header('content-encoding', coding).removeHeader('content-length');
      retag(reply, coding);
      return packed;
    } finally {
      atOnce -= 1;
    }
  });
};

import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Codings in which answers are compressed. */
export type Coding = 'br' | 'gzip';

/** In the order of preference, for clients that accept several equally. */
const codings: Coding[] = ['br', 'gzip'];

const packGzip = promisify(gzip);
const packBrotli = promisify<Buffer, object, Buffer>(brotliCompress);

/** Compresses a text outside the main thread. @param quality of each coding; higher is slower and smaller */
export const pack = (coding: Coding, body: Buffer, quality: Readonly<Record<Coding, number>>): Promise<Buffer> =>
  coding === 'gzip'
    ? packGzip(body, { level: quality.gzip })
    : packBrotli(body, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: quality.br,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        },
      });

/** Adds a request header to `Vary`. */
export const varyBy = (reply: FastifyReply, header: string): void => {
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

/** The coding that the client prefers; undefined when it accepts none. */
export const codingOf = ({ headers, method }: FastifyRequest): Coding | undefined => {
  const accepted = headers['accept-encoding'];
  // the answer to HEAD has no body
  if (accepted === undefined || method === 'HEAD') return undefined;
  return negotiate<Coding>(accepted.toLowerCase(), codings) ?? undefined;
};

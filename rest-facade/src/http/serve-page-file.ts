import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { codingOf, pack, varyBy, type Coding } from './codings.js';

/** A file of a page. */
export interface PageFile {
  /** Path of the request. */
  readonly path: string;
  readonly file: string;
  readonly type: string;
}

/** High levels, because each file is compressed only once in each coding. */
const quality = { br: 9, gzip: 9 };

/** The file in each coding, compressed on first use. A failure is not cached. */
const createPackedFile = (file: string): ((coding: Coding) => Promise<Buffer>) => {
  const packed = new Map<Coding, Promise<Buffer>>();
  return (coding) => {
    const known = packed.get(coding);
    if (known !== undefined) return known;
    const made = readFile(file).then((text) => pack(coding, text, quality));
    packed.set(coding, made);
    made.catch(() => packed.delete(coding));
    return made;
  };
};

/**
 * Serves a file of a page, compressed if the client accepts it. The process caches the compressed forms, one for each
 * file and coding.
 */
export const servePageFile = (app: FastifyInstance, { path, file, type }: PageFile): void => {
  const packedIn = createPackedFile(file);
  app.get(path, async (request, reply) => {
    void reply.type(type).header('cache-control', 'public, max-age=3600').header('x-content-type-options', 'nosniff');
    varyBy(reply, 'accept-encoding');
    const coding = codingOf(request);
    if (coding === undefined) return reply.send(createReadStream(file));
    return reply.header('content-encoding', coding).send(await packedIn(coding));
  });
};

import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { codingOf, pack, varyBy, type Coding } from './codings.js';

/** A file that a page loads. */
export interface PageFile {
  /** Path of the request. */
  readonly path: string;
  readonly file: string;
  readonly type: string;
}

/** Each file is compressed once in each coding: slow and small. */
const quality = { br: 9, gzip: 9 };

/** The file in each coding, compressed when it is first asked for. A failure is not kept. */
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
 * Serves a file of a page, compressed where the client takes that. The process keeps the compressed forms: as many as there
 * are files and codings.
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

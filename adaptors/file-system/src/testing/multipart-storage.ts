import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A multipart upload that is neither completed nor aborted. */
interface OpenUpload {
  readonly key: string;
  readonly id: string;
}

/**
 * An S3 server that tracks its open multipart uploads. fauxqs stores the objects but does not support
 * `ListMultipartUploads`; this server is a proxy that answers that call, in pages of two.
 */
export interface MultipartStorage {
  readonly endpoint: string;
  readonly uploads: readonly OpenUpload[];
  /** Number of requested pages of uploads. */
  readonly pages: number;
  /** Number of parts that arrived. */
  readonly parts: number;
  /** While true, the server receives parts and does not answer. */
  holdsParts: boolean;
  /** While true, all objects have the same time: a storage keeps whole seconds. */
  hidesTimes: boolean;
  close(): Promise<void>;
}

const pageSize = 2;

const read = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

const forward = async (asked: IncomingMessage, body: Buffer, port: number) => {
  const { method, url: path, headers } = asked;
  const sent = request({ port, host: '127.0.0.1', method, path, headers });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { answer, content: await read(answer) };
};

const sameSecond = new Date('2026-01-02T03:04:05.000Z');

/** The answer with one time for all objects. */
const hideTimes = ({ headers }: IncomingMessage, content: Buffer) => {
  const isList = headers['content-type']?.includes('xml') === true;
  const text = isList
    ? content.toString().replaceAll(/<LastModified>[^<]*/g, `<LastModified>${sameSecond.toISOString()}`)
    : undefined;
  const { 'last-modified': time, 'content-length': _, ...others } = headers;
  return {
    content: text === undefined ? content : Buffer.from(text),
    headers: {
      ...(text === undefined ? headers : others),
      ...(time === undefined ? {} : { 'last-modified': sameSecond.toUTCString() }),
    },
  };
};

const element = (name: string, value: string): string => `<${name}>${value}</${name}>`;

/** @param port of the server that stores the objects */
export const openMultipartStorage = async (port: number): Promise<MultipartStorage> => {
  const uploads: OpenUpload[] = [];
  const [counts, switches] = [
    { pages: 0, parts: 0 },
    { holdsParts: false, hidesTimes: false },
  ];

  const listUploads = (query: URLSearchParams, response: ServerResponse): void => {
    counts.pages += 1;
    const all = uploads
      .filter(({ key }) => key.startsWith(query.get('prefix') ?? ''))
      .map((upload) => ({ ...upload, place: `${upload.key}\0${upload.id}` }))
      .filter(({ place }) => place > `${query.get('key-marker') ?? ''}\0${query.get('upload-id-marker') ?? ''}`)
      .toSorted((one, other) => (one.place < other.place ? -1 : 1));
    const page = all.slice(0, pageSize);
    const last = page.at(-1);
    const listed = page.map(({ key, id }) => element('Upload', element('Key', key) + element('UploadId', id)));
    const next = last === undefined ? '' : element('NextKeyMarker', last.key) + element('NextUploadIdMarker', last.id);
    const truncated = element('IsTruncated', String(all.length > page.length));
    response.setHeader('content-type', 'application/xml');
    response.end(element('ListMultipartUploadsResult', truncated + next + listed.join('')));
  };

  const serve = async (asked: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(asked.url ?? '/', 'http://storage');
    const { searchParams: query } = url;
    if (asked.method === 'GET' && query.has('uploads')) return listUploads(query, response);
    const body = await read(asked);
    if (query.has('partNumber')) {
      counts.parts += 1;
      if (switches.holdsParts) return;
    }
    const { answer, content } = await forward(asked, body, port);
    if (asked.method === 'POST' && query.has('uploads')) {
      const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'));
      uploads.push({ key, id: /<UploadId>([^<]+)/.exec(content.toString())?.[1] ?? '' });
    }
    if ((asked.method === 'POST' || asked.method === 'DELETE') && query.has('uploadId')) {
      const index = uploads.findIndex(({ id }) => id === query.get('uploadId'));
      if (index >= 0) uploads.splice(index, 1);
    }
    const shown = switches.hidesTimes ? hideTimes(answer, content) : { headers: answer.headers, content };
    response.writeHead(answer.statusCode ?? 500, shown.headers).end(shown.content);
  };

  const server: Server = createServer((asked, response) => {
    // a killed client ends its connection in the middle of a request
    serve(asked, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    uploads,
    get pages() {
      return counts.pages;
    },
    get parts() {
      return counts.parts;
    },
    get holdsParts() {
      return switches.holdsParts;
    },
    set holdsParts(holds) {
      switches.holdsParts = holds;
    },
    get hidesTimes() {
      return switches.hidesTimes;
    },
    set hidesTimes(hides) {
      switches.hidesTimes = hides;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

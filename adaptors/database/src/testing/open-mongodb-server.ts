import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';

/**
 * The part of MongoDB's wire protocol that the state store uses, in memory. The real driver connects to it over a
 * socket. It replaces a MongoDB server, which is not available as a package. It has no authentication and only answers
 * the commands below.
 */
export interface MongodbServer {
  readonly connectionString: string;
  /** Drops all connections and refuses new ones until `resume`. */
  interrupt(): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

type Document = Record<string, unknown>;
type Collections = Map<string, Map<unknown, Document>>;

const opMessage = 2013;
const opQuery = 2004;
const opReply = 1;
const headerLength = 16;

const greeting: Document = {
  ok: 1,
  helloOk: true,
  ismaster: true,
  isWritablePrimary: true,
  minWireVersion: 9,
  maxWireVersion: 25,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
};

const fulfils = (value: unknown, condition: unknown): boolean => {
  if (typeof condition !== 'object' || condition === null) return value === condition;
  return Object.entries(condition).every(([operator, operand]) => {
    if (operator === '$in') return (operand as unknown[]).includes(value);
    if (operator === '$gt') return typeof value === 'string' && value > (operand as string);
    throw new Error(`the operator ${operator} is not known`);
  });
};
const matches = (document: Document, filter: Document): boolean =>
  Object.entries(filter).every(([name, condition]) => fulfils(document[name], condition));

const find = (documents: Map<unknown, Document>, { filter, sort, limit }: Document): Document[] => {
  const found = [...documents.values()].filter((document) => matches(document, filter as Document));
  if (sort !== undefined) found.sort((a, b) => (String(a['_id']) < String(b['_id']) ? -1 : 1));
  return found.slice(0, Number(limit ?? 0) || found.length);
};

const update = (documents: Map<unknown, Document>, { q, u, upsert }: Document, index: number) => {
  const filter = q as Document;
  const { $set: changes } = u as { readonly $set: Document };
  const [existing] = [...documents.values()].filter((document) => matches(document, filter));
  if (existing !== undefined) return void Object.assign(existing, changes);
  if (upsert !== true) return undefined;
  documents.set(filter['_id'], { _id: filter['_id'], ...changes });
  return { index, _id: filter['_id'] };
};

const remove = (documents: Map<unknown, Document>, { q }: Document): number => {
  const gone = [...documents.values()].filter((document) => matches(document, q as Document));
  for (const { _id } of gone) documents.delete(_id);
  return gone.length;
};

const answer = (collections: Collections, command: Document): Document => {
  const [name = ''] = Object.keys(command);
  const place = `${String(command['$db'])}.${String(command[name])}`;
  const documents = collections.get(place) ?? new Map<unknown, Document>();
  collections.set(place, documents);
  switch (name) {
    case 'hello':
    case 'ismaster':
    case 'isMaster':
      return greeting;
    case 'ping':
    case 'createIndexes':
    case 'endSessions':
      return { ok: 1 };
    case 'find':
      return { ok: 1, cursor: { id: 0n, ns: place, firstBatch: find(documents, command) } };
    case 'update': {
      const updates = command['updates'] as Document[];
      const upserted = updates.map((one, index) => update(documents, one, index)).filter((one) => one !== undefined);
      return { ok: 1, n: updates.length, nModified: updates.length - upserted.length, upserted };
    }
    case 'delete': {
      const counts = (command['deletes'] as Document[]).map((one) => remove(documents, one));
      return { ok: 1, n: counts.reduce((sum, count) => sum + count, 0) };
    }
    default:
      return { ok: 0, code: 59, codeName: 'CommandNotFound', errmsg: `no such command: ${name}` };
  }
};

const documentsIn = (bytes: Buffer): Document[] => {
  const documents: Document[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at))
    documents.push(BSON.deserialize(bytes.subarray(at, at + bytes.readInt32LE(at))));
  return documents;
};

/** A body, and the document lists that follow it. */
const readMessage = (bytes: Buffer): Document => {
  const command: Document = {};
  for (let at = headerLength + 4; at < bytes.length;) {
    const length = bytes.readInt32LE(at + 1);
    const section = bytes.subarray(at + 1, at + 1 + length);
    if (bytes[at] === 0) Object.assign(command, { ...BSON.deserialize(section), ...command });
    else {
      const end = section.indexOf(0, 4);
      command[section.toString('utf8', 4, end)] = documentsIn(section.subarray(end + 1));
    }
    at += 1 + length;
  }
  return command;
};

const readQuery = (bytes: Buffer): Document => {
  const name = bytes.indexOf(0, headerLength + 4);
  return BSON.deserialize(bytes.subarray(name + 9));
};

const framed = (opcode: number, request: number, ...parts: Uint8Array[]): Buffer => {
  const header = Buffer.alloc(headerLength);
  const body = Buffer.concat(parts);
  header.writeInt32LE(headerLength + body.length, 0);
  header.writeInt32LE(request, 8);
  header.writeInt32LE(opcode, 12);
  return Buffer.concat([header, body]);
};

const handle = (collections: Collections, bytes: Buffer): Buffer => {
  const request = bytes.readInt32LE(4);
  if (bytes.readInt32LE(12) === opMessage) {
    const reply = BSON.serialize(answer(collections, readMessage(bytes)));
    return framed(opMessage, request, Buffer.alloc(5), reply);
  }
  if (bytes.readInt32LE(12) !== opQuery) throw new Error('an operation that is not known');
  const prefix = Buffer.alloc(20);
  prefix.writeInt32LE(1, 16);
  return framed(opReply, request, prefix, BSON.serialize(answer(collections, readQuery(bytes))));
};

const serve = (collections: Collections, socket: Socket): void => {
  let waiting: Buffer = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk]);
    while (waiting.length >= headerLength && waiting.length >= waiting.readInt32LE(0)) {
      const length = waiting.readInt32LE(0);
      socket.write(handle(collections, waiting.subarray(0, length)));
      waiting = waiting.subarray(length);
    }
  });
};

export const openMongodbServer = async (): Promise<MongodbServer> => {
  const collections: Collections = new Map();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serve(collections, socket);
  });
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };
  const interrupt = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const port = await listen(0);
  return {
    connectionString: `mongodb://127.0.0.1:${port}/state?serverSelectionTimeoutMS=1000`,
    interrupt,
    resume: async () => void (await listen(port)),
    close: interrupt,
  };
};

import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { openBareSocket, openDeafSocket, textFrame } from '../../measure/deaf-socket.js';
import { untilClosed } from '../../measure/until-closed.js';
import { createVersion } from '../../harness/catalogue.js';
import type { Row } from '../row.js';
import { spreadOf } from '../../measure/spread.js';
import { customer, customerProperties } from '../stage/customer.js';
import { onStage, type Stage } from '../stage/open-stage.js';
import { residentMib } from '../../measure/resident-memory.js';

const idleMs = 2_000;
const settleMs = 20_000;
const files = 25;
const recordsPerFile = 40_000;
const sockets = 1_000;
const documents = 2_000;
const pageSize = 1_000;
const unreadMessages = 680;
const hugeConnect = Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f]);

const post = async ({ service, authorization }: Stage, path: string, body: string): Promise<string> => {
  const headers = { 'content-type': 'application/json', authorization };
  const answer = await request(`${service.baseUrl}${path}`, { method: 'POST', headers, body });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path} answers ${answer.statusCode}: ${text.slice(0, 500)}`);
  return text;
};

const importRecords = async (stage: Stage): Promise<void> => {
  for (let file = 0; file < files; file += 1) {
    const rows = Array.from({ length: recordsPerFile }, (_, index) => customer(file * recordsPerFile + index));
    await post(stage, '/api/drs/bulk?filters=name:loaded', JSON.stringify(rows));
  }
};

const query = (size: number): string => `{ dr_loaded_1(size: ${size}) { data { id } } }`;

const useSockets = async ({ service, authorization, leftovers }: Stage): Promise<void> => {
  const token = authorization.replace('Bearer ', '');
  const opened = await Promise.all(
    Array.from({ length: sockets }, () => openDeafSocket(leftovers, { baseUrl: service.baseUrl, token })),
  );
  for (const socket of opened) {
    const answered = once(socket, 'data');
    socket.write(textFrame(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: query(1) } })));
    socket.resume();
    await answered;
    socket.destroy();
  }
};

const askDistinct = async (stage: Stage): Promise<void> => {
  for (let n = 0; n < documents; n += 1) {
    const fields = Array.from({ length: 20 }, (_, index) => `a${n}_${index}: dr_loaded_1(size: 1) { data { id } }`);
    await post(stage, '/graphql', JSON.stringify({ query: `query q${n} { ${fields.join(' ')} }` }));
  }
};

const attack = async ({ service, authorization, leftovers }: Stage): Promise<void> => {
  const bus = Array.from({ length: 4 }, () => connect(Number(new URL(service.busUrl).port), '127.0.0.1'));
  for (const socket of bus) socket.write(Buffer.concat([hugeConnect, Buffer.alloc(2 ** 20)]));
  await Promise.all(bus.map(untilClosed));
  const silent = await Promise.all(Array.from({ length: 100 }, () => openBareSocket(leftovers, service.baseUrl)));
  const token = authorization.replace('Bearer ', '');
  const deaf = await openDeafSocket(leftovers, { baseUrl: service.baseUrl, token });
  for (let id = 0; id < unreadMessages; id += 1)
    deaf.write(textFrame(JSON.stringify({ id: String(id), type: 'subscribe', payload: { query: query(pageSize) } })));
  await Promise.all(silent.map(untilClosed));
  deaf.destroy();
};

const loads = {
  'after an import of 1 M records': importRecords,
  'after 1000 sockets': useSockets,
  'after 2000 documents': askDistinct,
  'after hostile input': attack,
} as const;

export const memoryAfterLoad: Row = {
  id: 21,
  what: 'Resident memory after load',
  comparedWith: 'the idle service',
  figures: Object.keys(loads).map((name) => ({ name, unit: 'ratio', better: 'lower', goal: 2, stretch: 1.5 })),
  run: (signal) =>
    onStage(signal, async (stage) => {
      const { steward, service } = stage;
      await createVersion(steward, {
        name: 'loaded',
        domainType: 'SERVICE_DATA_STORE',
        properties: customerProperties,
        drKeyProperties: ['id'],
      });
      await delay(idleMs);
      const { pid } = service.process();
      const idle = residentMib(pid);
      const measured: [name: string, mib: number][] = [];
      for (const [name, load] of Object.entries(loads)) {
        await load(stage);
        await delay(settleMs);
        measured.push([name, residentMib(pid)]);
      }
      return {
        values: Object.fromEntries(measured.map(([name, mib]) => [name, spreadOf([mib / idle])])),
        notes: [
          `${Math.round(idle)} MiB idle; ${measured.map(([name, mib]) => `${Math.round(mib)} ${name}`).join(', ')}; ` +
            `each ${settleMs / 1000} s after the load, one process for all`,
        ],
      };
    }),
};

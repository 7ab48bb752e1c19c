import { randomUUID } from 'node:crypto';
import {
  type AssemblyRequest,
  buildMessage,
  carriedEvents,
  checkEvent,
  type DownDataEvent,
  meetSender,
  parseJson,
  parseMessage,
  type Position,
  receive,
  startPosition,
  topicOf,
  type UpDataEvent,
} from '@fds/adaptor-protocol';
import { type JsonObject, mergeEvent } from '@fds/adaptor-sdk';
import type { CreatedAdaptor } from '../../harness/catalogue.js';
import type { Leftovers } from '../../harness/leftovers.js';
import { connectWireClient, reportStarted, stampOf } from '../../harness/wire-adaptor.js';

/** The rows of a table by their id. */
type Table = Map<number, JsonObject>;

/** A message that the client applied. */
interface AppliedMessage {
  readonly id: number;
  readonly event: DownDataEvent;
  readonly json: JsonObject;
  /** The properties that it did not write, because the table held an unreported value. */
  readonly kept: readonly string[];
}

/** An adaptor in the process of the test: its system is a table for each domain. It applies, links and answers by the contract. */
export interface TableClient extends CreatedAdaptor {
  /** The table of a domain. A change of it by a test is an unreported change of a user. */
  table(domain: string): Table;
  /** Reports rows; resolves when the server has acknowledged all of them. */
  report(domain: string, rows: readonly JsonObject[], more?: Partial<UpDataEvent>): Promise<void>;
  /** The messages of a domain, in the order of their application. */
  applied(domain: string): readonly AppliedMessage[];
  /** Work by domain, which is done after an answer was read from the table and before it is sent. */
  readonly whenAsked: Map<string, () => Promise<void>>;
}

const maxOnTheWay = 200;

/** Connects a client; it ends with the leftovers. */
export const connectTableClient = async (
  leftovers: Leftovers,
  busUrl: string,
  adaptor: CreatedAdaptor,
): Promise<TableClient> => {
  const ops = await connectWireClient(busUrl, adaptor, 'ops');
  leftovers.add(() => ops.endAsync(true));
  await reportStarted(ops, adaptor);
  const data = await connectWireClient(busUrl, adaptor, 'data');
  leftovers.add(() => data.endAsync(true));

  const sendEpoch = randomUUID();
  const journal: string[] = [];
  let [sent, acknowledged] = [0, 0];
  let position: Position = startPosition;
  const waiting: { readonly upTo: number; readonly resolve: () => void }[] = [];
  const tables = new Map<string, Table>();
  const bases = new Map<string, JsonObject>();
  const messages = new Map<string, AppliedMessage[]>();

  const listOf = <Value>(map: Map<string, Value>, key: string, make: () => Value): Value => {
    const known = map.get(key) ?? make();
    map.set(key, known);
    return known;
  };
  const table = (domain: string): Table => listOf(tables, domain, () => new Map());
  const publish = (
    client: typeof ops,
    channel: 'up/ack' | 'up/data' | 'up/hello' | 'up/rsp' | 'up/ops',
    text: string,
  ) => void client.publish(topicOf({ adaptorUuid: adaptor.uuid, channel }), text, { qos: 1 });

  const pump = (): void => {
    for (; sent < journal.length && sent - acknowledged < maxOnTheWay; sent += 1)
      publish(data, 'up/data', journal[sent] ?? '');
  };
  const numbering = () => ({ sequence: journal.length + 1, epoch: sendEpoch });
  const acknowledge = (upTo: number): void => {
    acknowledged = Math.max(acknowledged, upTo);
    for (let [first] = waiting; first !== undefined && first.upTo <= acknowledged; [first] = waiting) {
      waiting.shift();
      first.resolve();
    }
    pump();
  };
  const untilAcknowledged = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push({ upTo: journal.length, resolve });
      acknowledge(acknowledged);
    });

  const add = (domain: string, json: JsonObject, more: Partial<UpDataEvent>): void => {
    bases.set(`${domain} ${Number(json['id'])}`, json);
    const event = { action: 'POST', domain, version: 1, json, transactionUuid: randomUUID(), createTime: Date.now() };
    const filled = { ...event, ...more } as UpDataEvent;
    journal.push(buildMessage('up/data', { ...stampOf(adaptor), type: 'fds.data.v1', ...numbering(), data: filled }));
  };

  const write = (event: DownDataEvent): void => {
    const { domain, version, drUuid } = event;
    const json = parseJson(event.jsonData ?? '{}') as JsonObject;
    const [id] = (parseJson(event.drKey) as readonly (number | null)[]).map(Number);
    if (id === undefined || event.action === 'DELETE')
      throw new Error(`an unexpected message: ${JSON.stringify(event)}`);
    const [rows, key] = [table(domain), `${domain} ${id}`];
    const local = rows.get(id);
    const merged = mergeEvent({
      base: local === undefined ? undefined : bases.get(key),
      local,
      event: { ...event, json },
    });
    rows.set(id, { ...local, ...(local === undefined ? { id } : {}), ...merged.write });
    bases.set(key, merged.base);
    listOf(messages, domain, () => []).push({ id, event, json, kept: merged.kept });
    if (event.action === 'POST') {
      const links = [{ drUuid, drKey: { id }, domain, version, action: 'LINK' as const }];
      journal.push(
        buildMessage('up/link', { ...stampOf(adaptor), type: 'fds.link.v1', ...numbering(), data: { links } }),
      );
    }
    if (merged.kept.length > 0) add(domain, rows.get(id) ?? {}, {});
  };

  const take = (bytes: Uint8Array): void => {
    const carried = carriedEvents(bytes);
    if (!carried.ok) throw new Error(JSON.stringify(carried.faults));
    for (const { envelope } of carried.value) {
      const parsed = envelope.ok ? checkEvent('down/data', envelope.value) : envelope;
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
      const { epoch = '', sequence = 0, data: event } = parsed.value;
      const reception = receive(position, { epoch, sequence });
      if (reception === 'GAP') return;
      if (reception === 'APPLY') {
        write(event);
        position = { epoch, sequence };
      }
      const ack = { epoch, upto: position.sequence };
      publish(data, 'up/ack', buildMessage('up/ack', { ...stampOf(adaptor), type: 'fds.ack.v1', data: ack }));
    }
    pump();
  };

  const client: TableClient = {
    ...adaptor,
    table,
    report: async (domain, rows, more = {}) => {
      for (const row of rows) add(domain, row, more);
      await untilAcknowledged();
    },
    applied: (domain) => messages.get(domain) ?? [],
    whenAsked: new Map(),
  };

  const answer = async (request: AssemblyRequest, instance: string | undefined): Promise<void> => {
    const { requestUuid, domain } = request;
    const records = (request.records ?? []).map(({ drUuid, drKey }) => {
      const row = table(domain).get(Number(drKey['id']));
      return {
        drUuid,
        drKey,
        data: row ?? null,
        ...(row === undefined ? {} : { lastUpdated: lastUpdatedOf(adaptor, row) }),
      };
    });
    await client.whenAsked.get(domain)?.();
    const message = buildMessage('up/rsp', {
      ...stampOf(adaptor),
      type: 'fds.assembly.answer.v1',
      correlationid: requestUuid,
      data: { requestUuid, part: 1, last: true, records },
    });
    const topic = topicOf({ adaptorUuid: adaptor.uuid, channel: 'up/rsp' });
    await ops.publishAsync(instance === undefined ? topic : `${topic}/${instance}`, message, { qos: 1 });
  };

  ops.on('message', (topic, payload) => {
    if (topic.endsWith('/down/req')) {
      const parsed = parseMessage('down/req', payload);
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
      // a connection that has ended needs no answer
      void answer(parsed.value.data, parsed.value.replyinstance).catch(() => undefined);
    } else if (topic.endsWith('/down/ops')) {
      const parsed = parseMessage('down/ops', payload);
      if (!parsed.ok || parsed.value.type !== 'fds.ops.v1') return;
      const { requestId, operation } = parsed.value.data;
      const given = { requestId, operation, accepted: true, state: 'STARTED' as const };
      publish(
        ops,
        'up/ops',
        buildMessage('up/ops', {
          ...stampOf(adaptor),
          type: 'fds.ops.answer.v1',
          correlationid: requestId,
          data: given,
        }),
      );
    }
  });
  await new Promise<void>((resolve) => {
    data.on('message', (topic, payload) => {
      if (topic.endsWith('/down/hello')) {
        const parsed = parseMessage('down/hello', payload);
        if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
        position = meetSender(position, parsed.value.data);
        sent = parsed.value.data.epoch === sendEpoch ? parsed.value.data.applied : 0;
        acknowledge(sent);
        resolve();
      } else if (topic.endsWith('/down/ack')) {
        const parsed = parseMessage('down/ack', payload);
        if (parsed.ok && parsed.value.data.epoch === sendEpoch) acknowledge(parsed.value.data.upto);
      } else if (topic.endsWith('/down/data')) take(payload);
    });
    const hello = { epoch: null, applied: 0, sendEpoch, sent: 0, batch: { maxBytes: 262_144, maxEvents: 256 } };
    publish(data, 'up/hello', buildMessage('up/hello', { ...stampOf(adaptor), type: 'fds.hello.v1', data: hello }));
  });
  return client;
};

/** The time that an adaptor states for a row: it differs from that of every other adaptor. */
export const lastUpdatedOf = ({ uuid }: Pick<CreatedAdaptor, 'uuid'>, row: JsonObject): number =>
  1_790_000_000_000 + ((Number.parseInt(uuid.slice(-6), 16) + 31 * Number(row['id'])) % 99_991);

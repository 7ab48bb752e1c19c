import { randomUUID } from 'node:crypto';
import mqtt from 'mqtt';
import type { CreatedAdaptor } from '../../harness/catalogue.js';
import type { Leftovers } from '../../harness/leftovers.js';

/** `data` of a message on `down/req`. */
interface AskedRequest {
  readonly requestUuid: string;
  readonly domain: string;
  readonly version: number;
  readonly domainVersionUuid: string;
  readonly records: readonly { readonly drUuid: string; readonly drKey: Readonly<Record<string, unknown>> }[] | null;
  readonly requestedProperties: readonly string[] | null;
  readonly additionalParams?: Readonly<Record<string, unknown>>;
  readonly timeoutMilliseconds: number;
}

interface AnsweredRecord {
  readonly drUuid?: string;
  readonly drKey: Readonly<Record<string, unknown>>;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly lastUpdated?: number;
  readonly additionalParams?: Readonly<Record<string, unknown>>;
}

/** Members of `data` on `up/rsp` in addition to `requestUuid`. */
interface AnswerPart {
  readonly part: number;
  readonly last: boolean;
  readonly records: readonly AnsweredRecord[];
  readonly timestamps?: readonly number[];
  readonly error?: { readonly code: string; readonly message: string };
}

/** Returns the parts of the answer to a request. Without parts, the adaptor does not answer. */
export type Answering = (request: AskedRequest) => Promise<readonly AnswerPart[]> | readonly AnswerPart[];

/** An adaptor that is written only from the bus contract: topics, envelopes and payloads are literals. */
export interface RawAdaptor {
  /** The requests that it received, in order. */
  readonly asked: readonly AskedRequest[];
  /** Function that answers requests from now on. */
  answering: Answering;
  /** Reports links to the records with these DR Keys. */
  link(domain: string, drKeys: readonly Readonly<Record<string, unknown>>[]): Promise<void>;
}

/** An answer in one part, with the same data for every requested record. */
export const whole =
  (data: Readonly<Record<string, unknown>> | null, more: Partial<AnsweredRecord> = {}): Answering =>
  ({ records }) => [
    { part: 1, last: true, records: (records ?? []).map(({ drUuid, drKey }) => ({ drUuid, drKey, data, ...more })) },
  ];

export const connectRawAdaptor = async (
  leftovers: Leftovers,
  busUrl: string,
  { uuid, clientId, clientSecret }: CreatedAdaptor,
): Promise<RawAdaptor> => {
  const base = `fds/v1/a/${uuid}`;
  const client = await mqtt.connectAsync(busUrl, {
    clientId: `${uuid}-ops`,
    username: clientId,
    password: clientSecret,
    protocolVersion: 4,
    clean: true,
    reconnectPeriod: 0,
  });
  leftovers.add(() => client.endAsync(true));
  await client.subscribeAsync([`${base}/down/ops`, `${base}/down/req`], { qos: 1 });
  const send = async (channel: string, type: string, data: object, more: object = {}): Promise<void> => {
    const envelope = {
      specversion: '1.0',
      id: randomUUID(),
      source: `/adaptors/${uuid}`,
      type,
      time: new Date().toISOString(),
      datacontenttype: 'application/json',
      ...more,
      data,
    };
    await client.publishAsync(`${base}/${channel}`, JSON.stringify(envelope), { qos: 1 });
  };
  const asked: AskedRequest[] = [];
  const adaptor: RawAdaptor = {
    asked,
    answering: () => [],
    link: (domain, drKeys) =>
      send('up/link', 'fds.link.v1', {
        links: drKeys.map((drKey) => ({ drKey, domain, version: 1, action: 'LINK' })),
      }),
  };
  const answer = async (request: AskedRequest, instance: string | undefined): Promise<void> => {
    const { requestUuid } = request;
    const channel = instance === undefined ? 'up/rsp' : `up/rsp/${instance}`;
    for (const part of await adaptor.answering(request))
      await send(channel, 'fds.assembly.answer.v1', { requestUuid, ...part }, { correlationid: requestUuid });
  };
  const started = new Promise<void>((resolve) => {
    client.on('message', (topic, payload) => {
      const message = JSON.parse(payload.toString()) as { replyinstance?: string; data: AskedRequest };
      if (topic.endsWith('/down/ops')) return resolve();
      asked.push(message.data);
      // a connection that has ended needs no answer
      void answer(message.data, message.replyinstance).catch(() => undefined);
    });
  });
  const sdk = { name: 'raw', version: '1' };
  await send('up/status', 'fds.status.v1', { state: 'STARTING', sdk });
  await started;
  await send('up/status', 'fds.status.v1', { state: 'STARTED', sdk });
  return adaptor;
};

import { parseTopic, type Channel } from '@fds/adaptor-protocol';
import { Aedes } from 'aedes';
import mqtt from 'mqtt';

type Callback = (...answer: unknown[]) => void;
type Publish = (this: unknown, ...sent: unknown[]) => unknown;

interface Publication {
  readonly channel: Channel;
  readonly when: 'BEFORE' | 'AFTER';
}

const topicOf = ([first]: readonly unknown[]): string => {
  if (typeof first === 'string') return first;
  return typeof first === 'object' && first !== null && 'topic' in first ? String(first.topic) : '';
};

/** Wraps `publish(..., callback)`. BEFORE: calls `pass` at the call. AFTER: calls `pass` before the callback. */
const watched = (publish: Publish, { channel, when }: Publication, pass: () => void): Publish =>
  function (...sent) {
    if (parseTopic(topicOf(sent))?.channel !== channel) return publish.apply(this, sent);
    if (when === 'BEFORE') pass();
    const last = sent.at(-1);
    if (when === 'BEFORE' || typeof last !== 'function') return publish.apply(this, sent);
    const callback: Callback = (...answer) => {
      pass();
      (last as Callback)(...answer);
    };
    return publish.apply(this, [...sent.slice(0, -1), callback]);
  };

/** Calls `pass` for each publication of the process, by the embedded broker or as a client of a broker. */
export const watchBus = (publication: Publication, pass: () => void): void => {
  for (const prototype of [Aedes.prototype, mqtt.MqttClient.prototype] as unknown as { publish: Publish }[])
    prototype.publish = watched(prototype.publish, publication, pass);
};

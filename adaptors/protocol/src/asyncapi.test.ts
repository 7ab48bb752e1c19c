import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Check } from './checks/check.js';
import type { Fault } from './checks/fault.js';
import { messageTable } from './messages/message-table.js';
import { type Channel, channels, topicOf } from './topics.js';

interface Document {
  readonly channels: Readonly<
    Record<string, { readonly address: string; readonly messages: Readonly<Record<string, { readonly $ref: string }>> }>
  >;
  readonly operations: Readonly<
    Record<string, { readonly action: string; readonly channel: { readonly $ref: string } }>
  >;
  readonly components: {
    readonly messages: Readonly<
      Record<
        string,
        {
          readonly name: string;
          readonly payload: {
            readonly allOf: readonly [
              unknown,
              { readonly properties: { readonly data: { readonly required: readonly string[] } } },
            ];
          };
        }
      >
    >;
  };
}

const document = JSON.parse(readFileSync(new URL('../asyncapi.json', import.meta.url), 'utf8')) as Document;

const described = (channel: Channel) => {
  const address = topicOf({ adaptorUuid: '{adaptorUuid}', channel });
  const [name, entry] = Object.entries(document.channels).find(([, one]) => one.address === address) ?? [];
  const messages = Object.values(entry?.messages ?? {}).map(
    ({ $ref }) => document.components.messages[$ref.split('/').at(-1) ?? ''],
  );
  return { name, messages: messages.filter((message) => message !== undefined) };
};

/** The members that a check reports as missing in an empty object. */
const requiredBy = (check: Check<unknown>): readonly string[] => {
  const faults: Fault[] = [];
  check({}, '', faults);
  return faults.map(({ pointer }) => pointer.slice(1)).sort();
};

describe('asyncapi.json agrees with the code', () => {
  it('names the same channels', () => {
    expect(Object.keys(document.channels)).toHaveLength(channels.length);
  });

  it.each(channels)('has the same direction, message types and required members for %s', (channel) => {
    const { name, messages } = described(channel);
    const checks: Readonly<Record<string, Check<unknown>>> = messageTable[channel];
    expect(messages.map((message) => message.name)).toEqual(Object.keys(checks));
    for (const message of messages) {
      const check = checks[message.name];
      if (check === undefined) throw new Error(`no check for ${message.name}`);
      expect([...message.payload.allOf[1].properties.data.required].sort()).toEqual(requiredBy(check));
    }
    const operation = Object.values(document.operations).find((one) => one.channel.$ref === `#/channels/${name}`);
    expect(operation?.action).toBe(channel.startsWith('down/') ? 'receive' : 'send');
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { messageTable } from './messages/message-table.js';
import { parseMessage } from './messages/message.js';
import { type Channel, channels } from './topics.js';

interface Example {
  /** The channel. */
  readonly name: Channel;
  readonly payload: { readonly type: string };
}
interface Document {
  readonly components: {
    readonly messages: Readonly<Record<string, { readonly name: string; readonly examples: readonly Example[] }>>;
  };
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const document = JSON.parse(read('../asyncapi.json')) as Document;
const examples = Object.entries(document.components.messages).flatMap(([message, { examples }]) =>
  examples.map((example) => [`${example.payload.type} on ${example.name}`, message, example] as const),
);

const onPage = [...read('../../../docs/protocols/adaptor-bus.md').matchAll(/```json\n([\s\S]*?)```/g)].map(
  ([, text = '']) => JSON.parse(text) as unknown,
);

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: 'asyncapi', components: document.components });

describe('the examples of the messages', () => {
  it.each(examples)(
    '%s: is valid against the schema and the reader, and appears on the page',
    (_, message, { name, payload }) => {
      const isValid = ajv.getSchema(`asyncapi#/components/messages/${message}/payload`);
      if (isValid === undefined) throw new Error(`no schema for ${message}`);
      expect([isValid(payload), isValid.errors]).toEqual([true, null]);
      expect(parseMessage(name, Buffer.from(JSON.stringify(payload)))).toMatchObject({ ok: true });
      expect(onPage).toContainEqual(payload);
    },
  );

  it('exist for each message type of each channel', () => {
    const types = channels.flatMap((channel) => Object.keys(messageTable[channel]));
    expect([...new Set(examples.map(([, , { payload }]) => payload.type))].sort()).toEqual([...new Set(types)].sort());
  });

  it('contain no member that the reader drops', () => {
    for (const [, , { name, payload }] of examples) {
      const parsed = parseMessage(name, Buffer.from(JSON.stringify(payload)));
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
      const { data } = payload as unknown as { readonly data: object };
      expect(Object.keys(parsed.value.data).sort()).toEqual(Object.keys(data).sort());
    }
  });
});

import type { Check } from '../checks/check.js';
import { type Fault, invalid, type Parsed, valid } from '../checks/fault.js';
import { findUnstorableText } from '../checks/unstorable-text.js';
import { buildEnvelope, type Envelope, parseEnvelope } from '../envelope.js';
import type { Channel } from '../topics.js';
import { batchType } from './data-batch.js';
import { type ChannelData, type MessageType, messageTable } from './message-table.js';

/** A message of a channel: an envelope with one of the channel's types and its `data`. */
export type Message<C extends Channel> = C extends Channel
  ? {
      readonly [T in MessageType<C>]: Omit<Envelope<ChannelData[C][T]>, 'type'> & { readonly type: T };
    }[MessageType<C>]
  : never;

/** Writes a message. The channel determines the allowed types and their data. */
export const buildMessage = <C extends Channel>(_channel: C, message: Message<C>): string => buildEnvelope(message);

/** Reads an untrusted payload of a channel. Each fault has its place. Unknown members are ignored. */
export const parseMessage = <C extends Channel>(channel: C, payload: Uint8Array): Parsed<Message<C>> => {
  const parsed = parseEnvelope(payload);
  return parsed.ok ? checkMessage(channel, parsed.value) : parsed;
};

/** A message of a data channel that is not a batch. */
export type EventMessage<C extends 'up/data' | 'down/data'> = Exclude<Message<C>, { readonly type: typeof batchType }>;

/** The server stores parts of adaptors' messages, except their answers to assembly requests. */
const isStored = (channel: Channel, type: string): boolean =>
  // the events of a batch are checked one by one
  channel.startsWith('up/') && channel !== 'up/rsp' && type !== batchType;

/** Checks `type` and `data` of an envelope that was already read. Text in messages to the server must be storable. */
export const checkMessage = <C extends Channel>(channel: C, envelope: Envelope): Parsed<Message<C>> => {
  const checks: Readonly<Record<string, Check<unknown>>> = messageTable[channel];
  const check = Object.hasOwn(checks, envelope.type) ? checks[envelope.type] : undefined;
  if (check === undefined)
    return invalid({
      pointer: '/type',
      code: 'UNKNOWN_VALUE',
      detail: `must be one of ${Object.keys(checks).join(', ')}`,
    });
  const faults: Fault[] = isStored(channel, envelope.type) ? [...findUnstorableText({ ...envelope }, '')] : [];
  const data = check(envelope.data, '/data', faults);
  return faults.length === 0 ? valid({ ...envelope, data } as Message<C>) : invalid(...faults);
};

/** Checks the envelope of a single event, as `carriedEvents` returns it. */
export const checkEvent = <C extends 'up/data' | 'down/data'>(
  channel: C,
  envelope: Envelope,
): Parsed<EventMessage<C>> => checkMessage(channel, envelope) as Parsed<EventMessage<C>>;

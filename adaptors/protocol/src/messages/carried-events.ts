import { type Fault, invalid, type Parsed, valid } from '../checks/fault.js';
import { checkEnvelope, type Envelope, parsePayload } from '../envelope.js';
import type { JsonObject } from '../json/json-value.js';
import { type Numbering, parseNumbering } from '../parse-numbering.js';
import { parseSequence } from '../sequence-text.js';
import { batchType, dataBatch } from './data-batch.js';

/** One event of a payload on `up/data` or `down/data`: alone in the payload, or in a batch. */
export interface CarriedEvent {
  /** Undefined: the message is not part of a sequence. */
  readonly numbering: Numbering | undefined;
  /** The event's own envelope, or its faults. `type` and `data` are not checked yet. */
  readonly envelope: Parsed<Envelope>;
  /** The event's JSON in its batch; undefined for a payload that is not a batch. */
  readonly inBatch?: JsonObject;
}

const frameFaults = ({ epoch, sequence }: Envelope): readonly Fault[] => [
  ...(epoch === undefined
    ? [{ pointer: '/epoch', code: 'REQUIRED', detail: 'must be the epoch of the events, it is missing' } as const]
    : []),
  // an end that does not know batches must not treat the batch as one event and count it as done
  ...(sequence === undefined
    ? []
    : [{ pointer: '/sequence', code: 'UNKNOWN_VALUE', detail: 'must be absent: each event has its own' } as const]),
];

const openEvent = (inBatch: JsonObject, batch: Envelope, epoch: string): CarriedEvent => {
  const { source, time } = batch;
  const { sequence: numbered } = inBatch;
  const sequence = (typeof numbered === 'string' ? parseSequence(numbered) : undefined) ?? 0;
  const place = { numbering: { epoch, sequence }, inBatch };
  if (inBatch['type'] === batchType) {
    const detail = 'must be the type of an event: a batch cannot contain a batch';
    return { ...place, envelope: invalid({ pointer: '/type', code: 'UNKNOWN_VALUE', detail }) };
  }
  return { ...place, envelope: checkEnvelope({ specversion: '1.0', source, time, ...inBatch, epoch }) };
};

const openBatch = (batch: Envelope): Parsed<readonly CarriedEvent[]> => {
  const faults = [...frameFaults(batch)];
  const { events } = dataBatch(batch.data, '/data', faults);
  const { epoch = '' } = batch;
  for (const [at, event] of events.entries())
    if (event['epoch'] !== undefined && event['epoch'] !== epoch)
      faults.push({ pointer: `/data/events/${at}/epoch`, code: 'UNKNOWN_VALUE', detail: 'must be that of the batch' });
  return faults.length > 0 ? invalid(...faults) : valid(events.map((event) => openEvent(event, batch, epoch)));
};

/**
 * The messages in an untrusted payload of `up/data` or `down/data`, in order. A payload that is not a batch is one
 * message, even if it cannot be read. Faults are returned if the payload is a batch with a wrong frame; then none of
 * its events counts.
 */
export const carriedEvents = (payload: Uint8Array): Parsed<readonly CarriedEvent[]> => {
  const parsed = parsePayload(payload);
  const envelope = parsed.ok ? checkEnvelope(parsed.value) : parsed;
  if (!envelope.ok) return valid([{ numbering: parseNumbering(payload), envelope }]);
  const { type, epoch, sequence } = envelope.value;
  if (type === batchType) return openBatch(envelope.value);
  const numbering = epoch === undefined || sequence === undefined ? undefined : { epoch, sequence };
  return valid([{ numbering, envelope }]);
};

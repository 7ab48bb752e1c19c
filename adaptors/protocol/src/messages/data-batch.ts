import type { Check } from '../checks/check.js';
import type { Fault, FaultCode } from '../checks/fault.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { receivedBatch } from '../limits.js';
import { parseSequence } from '../sequence-text.js';

export const batchType = 'fds.data.batch.v1';

/**
 * `fds.data.batch.v1` on `up/data` and `down/data`: events with consecutive sequences. Each is the envelope of the
 * event. It omits the attributes that it shares with the envelope of the batch: `epoch` always, and `specversion`,
 * `source`, `time` and `datacontenttype` if they are equal.
 */
export interface DataBatch {
  readonly events: readonly JsonObject[];
}

const refuse = (faults: Fault[], pointer: string, code: FaultCode, detail: string): DataBatch => {
  faults.push({ pointer, code, detail });
  return { events: [] };
};

const sequenceOf = (event: JsonValue): number | undefined =>
  isJsonObject(event) && typeof event['sequence'] === 'string' ? parseSequence(event['sequence']) : undefined;

/** The first event whose sequence does not follow the one before it. */
const findBreak = (events: readonly JsonValue[]): { readonly at: number; readonly detail: string } | undefined => {
  const first = sequenceOf(events[0] ?? null);
  for (const [at, event] of events.entries()) {
    const sequence = sequenceOf(event);
    if (first === undefined || sequence === undefined)
      return { at, detail: 'must be a string of up to 19 digits, from 1' };
    if (sequence !== first + at) return { at, detail: `must be ${first + at}, the next one in the batch` };
  }
  return undefined;
};

/** Checks the frame of a batch. The events are checked separately: a faulty event does not stop the others. */
export const dataBatch: Check<DataBatch> = (value, pointer, faults) => {
  if (!isJsonObject(value)) return refuse(faults, pointer, 'WRONG_TYPE', 'must be an object');
  const events = value['events'];
  const place = `${pointer}/events`;
  if (events === undefined) return refuse(faults, place, 'REQUIRED', 'must be a list of events, it is missing');
  if (!Array.isArray(events)) return refuse(faults, place, 'WRONG_TYPE', 'must be a list of events');
  const list = events as readonly JsonValue[];
  if (list.length === 0 || list.length > receivedBatch.maxEvents)
    return refuse(faults, place, 'WRONG_FORMAT', `must have 1 to ${receivedBatch.maxEvents} events`);
  const broken = findBreak(list);
  if (broken !== undefined) return refuse(faults, `${place}/${broken.at}/sequence`, 'WRONG_FORMAT', broken.detail);
  return { events: list as readonly JsonObject[] };
};

import { type Check, text } from '../checks/check.js';
import type { Fault } from '../checks/fault.js';
import { findUnstorableText } from '../checks/unstorable-text.js';
import { parsePayload } from '../envelope.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { type AdaptorMetrics, type OpsAnswer, opsAnswer, opsAnswerMembers, metricTotals } from './operations.js';

/** The readable part of an answer on `up/ops` that violates the contract. */
export interface SalvagedAnswer {
  /** Id of the answered request. */
  readonly requestId: string;
  /** The message's id, if it has one. */
  readonly id: string | undefined;
  /** The members that can be read. Undefined: the answer does not say which operation it accepts or refuses. */
  readonly answer: OpsAnswer | undefined;
}

const read = <T>(check: Check<T>, value: JsonValue | undefined): T | undefined => {
  if (value === undefined) return undefined;
  const faults: Fault[] = [...findUnstorableText(value, '')];
  const result = check(value, '', faults);
  return faults.length === 0 ? result : undefined;
};

/** Metrics with an unreadable history or time zone still have their totals. */
const readMetrics = (value: JsonValue | undefined): AdaptorMetrics | undefined =>
  read(opsAnswerMembers.metrics, value) ?? read(metricTotals, value);

/**
 * Reads the readable members of an untrusted answer that `parseMessage` refuses, so that one unreadable member does not
 * let the request run into its time-out.
 *
 * @returns undefined when the payload is not an answer that names its request
 */
export const salvageAnswer = (payload: Uint8Array): SalvagedAnswer | undefined => {
  const parsed = parsePayload(payload);
  if (!parsed.ok || !isJsonObject(parsed.value) || parsed.value['type'] !== 'fds.ops.answer.v1') return undefined;
  const { id, data } = parsed.value;
  const requestId = isJsonObject(data) ? read(text, data['requestId']) : undefined;
  if (requestId === undefined || !isJsonObject(data)) return undefined;
  const members = Object.fromEntries(
    Object.entries(opsAnswerMembers).flatMap(([name, check]) => {
      const value = name === 'metrics' ? readMetrics(data[name]) : read<unknown>(check, data[name]);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return { requestId, id: read(text, id), answer: read(opsAnswer, members as JsonObject) };
};

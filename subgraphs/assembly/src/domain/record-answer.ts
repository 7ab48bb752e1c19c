import type { JsonObject, JsonValue } from '@fds/json';
import type { MergePlan } from './merge-plan.js';
import type { SentRecord, Source } from './source.js';
import { memberReader, takeValue } from './take-value.js';
import type { VisibleProperties } from './visibility.js';

/** The values that one source sent for a record, the caller may see, and the model accepts. */
export interface RecordAnswer {
  readonly source: Source;
  /** By property, in the spelling of the model. */
  readonly values: ReadonlyMap<string, JsonValue>;
  /** Could everything be taken that was requested and sent? */
  readonly isWhole: boolean;
  /** Epoch ms of the latest change known; 0 = unknown. */
  readonly lastUpdated: number;
  /** Members that the adaptor added to the record. */
  readonly additionalParams?: JsonObject | undefined;
  /** The result of a timestamp search, in epoch ms. */
  readonly timestamps?: readonly number[] | undefined;
}

/**
 * Reads a record that an adaptor sent. Hidden values are dropped unread, so they neither decide nor make the answer
 * less than whole. `additionalParams` may hold anything of the record, so it is dropped where a property is hidden.
 *
 * @param knownChange epoch ms of the latest change known without the answer
 */
export const readRecordAnswer = (
  { data, lastUpdated, additionalParams, timestamps }: SentRecord & { readonly data: JsonObject },
  {
    source,
    plan,
    visible,
    knownChange,
  }: {
    readonly source: Source;
    readonly plan: MergePlan;
    readonly visible: VisibleProperties;
    readonly knownChange: number;
  },
): RecordAnswer => {
  const read = memberReader(data);
  const values = new Map<string, JsonValue>();
  let isWhole = true;
  for (const wanted of plan.read) {
    const { name } = wanted.property;
    const sent = visible.has(name) ? read(name) : undefined;
    if (sent === undefined) continue;
    const value = takeValue(sent, wanted);
    if (value !== undefined) values.set(name, value);
    else if (plan.deciding.has(name)) isWhole = false;
  }
  return {
    source,
    values,
    isWhole,
    lastUpdated: lastUpdated ?? knownChange,
    additionalParams: visible.extent === 'ALL' ? additionalParams : undefined,
    timestamps,
  };
};

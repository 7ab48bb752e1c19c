import type { JsonObject, JsonValue } from '@fds/json';
import type { MergePlan } from './merge-plan.js';
import type { SentRecord, Source } from './source.js';
import { memberReader, takeValue } from './take-value.js';
import type { VisibleProperties } from './visibility.js';

/** The values of one source for a record that the caller may see and the model accepts. */
export interface RecordAnswer {
  readonly source: Source;
  /** By property, in the spelling of the model. */
  readonly values: ReadonlyMap<string, JsonValue>;
  /** Could all requested values that were sent be used? */
  readonly isWhole: boolean;
  /** Epoch ms of the latest known change; 0 means unknown. */
  readonly lastUpdated: number;
  /** Members that the adaptor added to the record. */
  readonly additionalParams?: JsonObject | undefined;
  /** The result of a timestamp search, in epoch ms. */
  readonly timestamps?: readonly number[] | undefined;
}

/**
 * Reads a record that an adaptor sent. Hidden values are dropped unread, so they neither decide nor make the answer
 * incomplete. `additionalParams` may contain any data of the record, so it is dropped when a property is hidden.
 *
 * @param knownChange epoch ms of the latest change that is known without the answer
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

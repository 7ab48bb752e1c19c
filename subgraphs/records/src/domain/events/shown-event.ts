import { isJsonObject, parseJson, type JsonObject } from '@fds/json';

const parseRecord = (text: string): JsonObject | undefined => {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/**
 * The `data` of a message as its issue keeps and shows it: a record that was sent as text (`jsonData`) is `json`, so that
 * pointers lead into it. Text that is not a JSON object stays text. Reading the result again gives the same event.
 */
export const shownEvent = <Data extends object & { readonly json?: unknown; readonly jsonData?: unknown }>(
  data: Data,
): Data | (Omit<Data, 'jsonData'> & { readonly json: JsonObject }) => {
  const { jsonData, ...others } = data;
  if (typeof jsonData !== 'string' || (others.json !== undefined && others.json !== null)) return data;
  const json = parseRecord(jsonData);
  return json === undefined ? data : { ...others, json };
};

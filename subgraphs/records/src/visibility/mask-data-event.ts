import { maskMembers, type Visible } from '@fds/data-access';
import { isJsonObject, parseJson, stringifyJson, type JsonObject, type JsonValue } from '@fds/json';

/** Members of an event that hold no data of the record. */
const plain = new Set([
  'action',
  'domain',
  'version',
  'drUuid',
  'domainVersionUuid',
  'sourceAdaptorUuid',
  'destinationAdaptorUuid',
  'transactionUuid',
  'originTransactionUuid',
  'createTime',
  'discovery',
]);
/** Members that hold data, as an object or as JSON text of one. */
const data = new Set(['json', 'jsonData', 'drKey']);

const maskData = (value: JsonValue, visible: Visible): JsonValue | undefined => {
  if (isJsonObject(value)) return maskMembers(value, visible);
  if (typeof value !== 'string') return undefined;
  const members = readObject(value);
  return members === undefined ? undefined : stringifyJson(maskMembers(members, visible));
};

/** JSON text of an object; undefined where it is not. */
export const readObject = (text: string): JsonObject | undefined => {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/**
 * What may be seen of an event as it came, or as it was sent.
 *
 * @returns undefined where it cannot be told what of it is data
 */
export const maskDataEvent = (event: JsonObject, visible: Visible): JsonObject | undefined => {
  if (visible.extent === 'NONE') return undefined;
  const seen: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(event)) {
    if (value === undefined) continue;
    const shown = data.has(name) ? maskData(value, visible) : value;
    if (shown !== undefined && (plain.has(name) || data.has(name))) seen[name] = shown;
  }
  return seen;
};

import { maskMembers, type Visible } from '@fds/access-rules';
import { isJsonObject, isUuid, parseJson, stringifyJson, type JsonObject, type JsonValue } from '@fds/json';

type Test = (value: JsonValue) => boolean;

const isUuidOrNull: Test = (value) => value === null || (typeof value === 'string' && isUuid(value));
const isNumber: Test = (value) => typeof value === 'number';
const isWord: Test = (value) => typeof value === 'string' && /^[A-Za-z][\w-]{0,127}$/.test(value);

/** Members of an event that hold no data of the record, if they have the form of the contract: a malformed event may hold data in any member. */
const plain: Readonly<Record<string, Test>> = {
  action: isWord,
  domain: isWord,
  version: isNumber,
  drUuid: isUuidOrNull,
  domainVersionUuid: isUuidOrNull,
  sourceAdaptorUuid: isUuidOrNull,
  destinationAdaptorUuid: isUuidOrNull,
  transactionUuid: isUuidOrNull,
  originTransactionUuid: isUuidOrNull,
  createTime: isNumber,
  discovery: (value) => typeof value === 'boolean',
};
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
 * The visible part of an event as received, or as sent.
 *
 * @returns undefined when its data cannot be separated from the rest
 */
export const maskDataEvent = (event: JsonObject, visible: Visible): JsonObject | undefined => {
  if (visible.extent === 'NONE') return undefined;
  const seen: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(event)) {
    if (value === undefined) continue;
    const isPlain = Object.hasOwn(plain, name) && plain[name]?.(value) === true;
    const shown = data.has(name) ? maskData(value, visible) : isPlain ? value : undefined;
    if (shown !== undefined) seen[name] = shown;
  }
  return seen;
};

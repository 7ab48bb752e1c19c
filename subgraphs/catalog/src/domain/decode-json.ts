import { parseJson, type JsonValue } from '@fds/json';

/**
 * JSON that may additionally be encoded as text (docs/reference/adaptor-operations.md#adaptor). Text that is not JSON stays
 * text.
 */
export const decodeJson = (value: JsonValue): JsonValue => {
  if (typeof value !== 'string') return value;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
};

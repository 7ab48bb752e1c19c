export { canonicalJson } from './canonical-json.js';
export { isUuid } from './is-uuid.js';
export { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from './json-value.js';
export { ofSegment, pointerTo, toSegment } from './json-pointer.js';
export { parseJson } from './parse-json.js';
export { parseJsonInSteps } from './parse-json-in-steps.js';
export { isStorableText, storableStart } from './storable-text.js';
export { stringifyJson } from './stringify-json.js';

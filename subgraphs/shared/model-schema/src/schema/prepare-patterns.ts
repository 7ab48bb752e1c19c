import { isJsonObject, type JsonValue } from '@fds/json';
import { compileLinearPattern } from './linear-pattern.js';

/** As many as a model has properties. A model with more is refused before its patterns are compiled. */
const maxPatterns = 1000;

/**
 * Compiles the patterns of a model schema, one in each step, so that the caller can let other work run in between. `compileModelSchema`
 * then takes them from the cache. Ignores what it does not understand.
 */
export const preparePatterns = function* (modelSchema: JsonValue): Generator<void, void> {
  const pending: (JsonValue | undefined)[] = [modelSchema];
  for (let left = maxPatterns; pending.length > 0 && left > 0;) {
    const node = pending.pop();
    if (!isJsonObject(node)) continue;
    const { pattern, items, properties } = node;
    if (typeof pattern === 'string') {
      compileLinearPattern(pattern);
      left -= 1;
      yield;
    }
    pending.push(items);
    if (!isJsonObject(properties)) continue;
    const names = Object.keys(properties);
    if (names.length <= maxPatterns) for (const name of names) pending.push(properties[name]);
  }
};

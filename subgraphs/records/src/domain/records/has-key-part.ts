import { canonicalJson, type JsonObject } from '@fds/json';

/** Has the DR Key these values? Both as a model accepts them. */
export const hasKeyPart = (drKey: JsonObject, part: JsonObject): boolean =>
  Object.entries(part).every(([name, value = null]) => {
    const own = Object.hasOwn(drKey, name) ? drKey[name] : undefined;
    return own === value || (own !== undefined && canonicalJson(own) === canonicalJson(value));
  });

import { isJsonObject, type JsonObject, type JsonValue, isStorableText, pointerTo } from '@fds/json';
import { acceptArray } from './accept-array.js';
import type { Accept } from './accept.js';
import type { FaultList } from '@fds/errors';
import type { Reference } from '../model-property.js';
import { ownMember } from './own-member.js';
import { foldName } from '../names/property-name.js';

const toRecord = /^\/drs\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const toKey = /^\/domains\/([^/:?]+):v(\d+)\?[A-Za-z_][A-Za-z0-9_-]*=.+$/s;

const pointsTo = (text: string, { domain, version }: Reference): boolean => {
  if (toRecord.test(text)) return true;
  const match = toKey.exec(text);
  return match !== null && foldName(match[1] ?? '') === foldName(domain) && Number(match[2]) === version;
};

const isKeyValue = (value: JsonValue | undefined): boolean =>
  typeof value === 'string' ? isStorableText(value) : ['number', 'bigint', 'boolean'].includes(typeof value);

const isKeyObject = (value: JsonObject): boolean => {
  const values = Object.values(value);
  return values.length > 0 && values.every((part) => part === null || isKeyValue(part));
};

const acceptOne =
  (reference: Reference): Accept =>
  (value: JsonValue, pointer: string, faults: FaultList) => {
    if (!isJsonObject(value)) {
      if (!isKeyValue(value)) faults.add(pointer, 'INVALID_REFERENCE', 'a reference is a $ref or a DR Key value');
      return value;
    }
    const target = ownMember(value, '$ref');
    if (target === undefined) {
      if (!isKeyObject(value)) faults.add(pointer, 'INVALID_REFERENCE', 'a DR Key object holds plain values');
    } else if (typeof target !== 'string' || Object.keys(value).length > 1 || !pointsTo(target, reference)) {
      const detail = 'a $ref stands alone and is /drs/<uuid> or /domains/<the target>?<property>=<value>';
      faults.add(pointerTo(pointer, '$ref'), 'INVALID_REFERENCE', detail);
    }
    return value;
  };

/**
 * Accepts the three posted forms of a reference (docs/reference/data-records.md#references): `{"$ref": "/drs/<uuid>"}`,
 * `{"$ref": "/domains/<name>:v<n>?<property>=<value>"}`, or the DR Key itself: the value, or an object of a key of
 * several properties. A multivalued reference takes one of these or a list, and keeps a list.
 */
export const acceptReference = (reference: Reference): Accept => {
  const one = acceptOne(reference);
  if (!reference.multivalued) return one;
  const many = acceptArray(one, { minItems: 0, maxItems: Number.POSITIVE_INFINITY });
  return (value, pointer, faults) =>
    Array.isArray(value) ? many(value, pointer, faults) : [one(value, pointer, faults)];
};

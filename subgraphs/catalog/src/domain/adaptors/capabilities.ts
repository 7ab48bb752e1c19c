import { isJsonObject, stringifyJson, type JsonObject, type JsonValue } from '@fds/json';
import type { FaultList } from '@fds/errors';
import { decodeJson } from '../decode-json.js';

const capabilityActions = ['POST', 'PUT', 'DELETE', 'GET'] as const;
export type CapabilityAction = (typeof capabilityActions)[number];
const directions = ['IN', 'OUT'] as const;
export type CapabilityDirection = (typeof directions)[number];

/** An action of an adaptor on a domain version. */
export interface Capability {
  readonly domainName: string;
  readonly versionNumber: number;
  readonly action: CapabilityAction;
  /** Stored and returned, but it restricts nothing (docs/reference/adaptor-operations.md#adaptor). */
  readonly direction: CapabilityDirection | null;
}

/**
 * Most bytes of the list and of the metadata, each as JSON. Both are sent to the adaptor with the keys of the versions
 * in one message of at most 256 KiB (docs/protocols/adaptor-bus.md#connecting).
 */
const maxBytes = 96 * 1024;

/** Is the value small enough, as JSON, for a message to the adaptor? Otherwise adds a fault. */
export const requireFitting = (pointer: string, value: JsonValue, faults: FaultList): boolean => {
  const bytes = new TextEncoder().encode(stringifyJson(value)).length;
  if (bytes <= maxBytes) return true;
  faults.add(pointer, 'TOO_LARGE', `${pointer.slice(1)} has ${bytes} bytes as JSON, and may have ${maxBytes}`);
  return false;
};

/** A value in the detail of a fault. */
const shown = (value: JsonValue | undefined): string => stringifyJson(value ?? null).slice(0, 100);

const maxVersionNumber = 2_147_483_647;
const members = new Set(['domainName', 'versionNumber', 'action', 'direction']);

const isOneOf = <Word extends string>(words: readonly Word[], value: unknown): value is Word =>
  (words as readonly unknown[]).includes(value);

const isVersionNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maxVersionNumber;

const readCapability = (value: JsonValue, at: string, faults: FaultList): Capability | undefined => {
  if (!isJsonObject(value)) {
    faults.add(at, 'INVALID_TYPE', 'a capability is an object');
    return undefined;
  }
  const { domainName, versionNumber, action, direction = null } = value;
  for (const name of Object.keys(value)) {
    if (!members.has(name)) faults.add(`${at}/${name}`, 'UNKNOWN_PROPERTY', `a capability has no ${name}`);
  }
  const nameIsRight = typeof domainName === 'string' && /^[A-Za-z][A-Za-z0-9_-]{1,127}$/.test(domainName);
  const versionIsRight = isVersionNumber(versionNumber);
  const actionIsRight = isOneOf(capabilityActions, action);
  const directionIsRight = direction === null || isOneOf(directions, direction);
  if (!nameIsRight) faults.add(`${at}/domainName`, 'WRONG_FORMAT', `${shown(domainName)} is not the name of a domain`);
  if (!versionIsRight)
    faults.add(
      `${at}/versionNumber`,
      'OUT_OF_RANGE',
      `versionNumber is ${shown(versionNumber)}, and must be an integer from 1`,
    );
  if (!actionIsRight)
    faults.add(
      `${at}/action`,
      'UNKNOWN_VALUE',
      `action is ${shown(action)}, and must be one of ${capabilityActions.join(', ')}`,
    );
  if (!directionIsRight)
    faults.add(
      `${at}/direction`,
      'UNKNOWN_VALUE',
      `direction is ${shown(direction)}, and must be one of ${directions.join(', ')}, or null`,
    );
  return nameIsRight && versionIsRight && actionIsRight && directionIsRight
    ? { domainName, versionNumber, action, direction }
    : undefined;
};

/** Domain names are compared ignoring case. */
const capabilityKey = ({ domainName, versionNumber, action, direction }: Capability): string =>
  `${domainName.toLowerCase()} ${versionNumber} ${action} ${direction ?? ''}`;

/**
 * Reads a list of capabilities, native or JSON-encoded. Null means that none is given. The domain version need not
 * exist yet (docs/decisions/0010). A repeated capability is a fault.
 */
export const readCapabilities = (
  pointer: string,
  value: JsonValue | undefined,
  faults: FaultList,
): readonly Capability[] | null => {
  const list = decodeJson(value ?? null);
  if (list === null) return null;
  if (!Array.isArray(list)) {
    faults.add(pointer, 'INVALID_TYPE', `${pointer.slice(1)} must be a list, or one that is JSON-encoded`);
    return null;
  }
  if (!requireFitting(pointer, list, faults)) return null;
  const seen = new Set<string>();
  return (list as readonly JsonValue[]).flatMap((item, index) => {
    const capability = readCapability(item, `${pointer}/${index}`, faults);
    if (capability === undefined) return [];
    const key = capabilityKey(capability);
    if (seen.has(key)) faults.add(`${pointer}/${index}`, 'DUPLICATE', 'the capability is in the list already');
    seen.add(key);
    return [capability];
  });
};

/** Reads a JSON object, native or JSON-encoded. Null means that none is given. The result still contains secrets. */
export const readMetadata = (pointer: string, value: JsonValue | undefined, faults: FaultList): JsonObject | null => {
  const metadata = decodeJson(value ?? null);
  if (metadata === null || isJsonObject(metadata)) return metadata;
  faults.add(pointer, 'INVALID_TYPE', `${pointer.slice(1)} must be an object, or one that is JSON-encoded`);
  return null;
};

import { isJsonObject, pointerTo } from '@fds/json';
import { resourceFault } from '@fds/access-rules';
import type { FaultList } from '@fds/errors';
import { eventActions, type EventAction, type EventEntry } from './event-entry.js';

/** Entries at most: each change is compared with all of them. */
const maxEntries = 100;

const members: readonly string[] = ['resource', 'actions'];

const isAction = (value: unknown): value is EventAction => (eventActions as readonly unknown[]).includes(value);

const shown = (value: unknown): string => (typeof value === 'string' ? `"${value.slice(0, 100)}"` : typeof value);

const readResource = (pointer: string, value: unknown, faults: FaultList): string => {
  if (value === undefined || value === null) {
    faults.add(pointer, 'REQUIRED', 'resource is required');
    return '/';
  }
  if (typeof value !== 'string') {
    faults.add(pointer, 'INVALID_VALUE', 'resource must be a text');
    return '/';
  }
  const fault = resourceFault(value);
  if (fault !== undefined) faults.add(pointer, 'INVALID_VALUE', `resource ${shown(value)}: a resource ${fault}`);
  return value;
};

const readActions = (pointer: string, value: unknown, faults: FaultList): EventAction[] => {
  if (!Array.isArray(value) || value.length === 0) {
    const code = value === undefined || value === null ? 'REQUIRED' : 'INVALID_VALUE';
    faults.add(pointer, code, `actions must be a list of at least one of ${eventActions.join(', ')}`);
    return [];
  }
  const actions = new Set<EventAction>();
  for (const [index, action] of value.entries()) {
    if (isAction(action)) actions.add(action);
    else
      faults.add(
        `${pointer}/${index}`,
        'UNKNOWN_VALUE',
        `action ${shown(action)} is none of ${eventActions.join(', ')}`,
      );
  }
  return [...actions];
};

/**
 * Reads the events of a registration.
 *
 * @param pointer of the list, such as `/events`
 * @param faults takes every fault, with its place
 */
export const parseEvents = (pointer: string, value: unknown, faults: FaultList): readonly EventEntry[] => {
  if (value === undefined || value === null) {
    faults.add(pointer, 'REQUIRED', 'events is required');
    return [];
  }
  if (!Array.isArray(value) || value.length === 0 || value.length > maxEntries) {
    faults.add(pointer, 'INVALID_VALUE', `events must be a list of 1 to ${maxEntries} entries`);
    return [];
  }
  return value.flatMap((entry: unknown, index): EventEntry[] => {
    const at = `${pointer}/${index}`;
    if (!isJsonObject(entry)) {
      faults.add(at, 'INVALID_VALUE', 'an entry of events is an object with resource and actions');
      return [];
    }
    for (const name of Object.keys(entry)) {
      if (!members.includes(name)) {
        faults.add(pointerTo(at, name), 'UNKNOWN_PROPERTY', `an entry of events has no ${shown(name)}`);
      }
    }
    const resource = readResource(`${at}/resource`, entry['resource'], faults);
    return [{ resource, actions: readActions(`${at}/actions`, entry['actions'], faults) }];
  });
};

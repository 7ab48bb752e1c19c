import type { ErrorCause } from '@fds/errors';
import type { Visible } from '@fds/access-rules';
import { dataMembers, plainMembers } from '../../domain/issues/event-members.js';

const places = new Set<string>(dataMembers);
const outside = new Set<string>(['', ...plainMembers]);

/** The property that a fault is about; undefined: the event as a whole. */
const propertyOf = (pointer: string): string | undefined => {
  const [, first = '', second] = pointer.split('/');
  if (places.has(first)) return second;
  return outside.has(first) ? undefined : first;
};

/** An adaptor's text may contain any data, and the list of a preview names records that the caller may not know. */
const hiddenCodes = new Set(['ADAPTOR', 'DIFFERING', 'MISSING_HERE', 'MISSING_THERE']);
const isFreeText = ({ code }: ErrorCause): boolean => hiddenCodes.has(code);

/** The faults of an event that reveal no hidden data. */
export const maskErrors = (errors: readonly ErrorCause[], visible: Visible): readonly ErrorCause[] =>
  errors.filter((error) => {
    if (isFreeText(error)) return false;
    const property = propertyOf(error.pointer);
    return property === undefined || visible.names.has(property);
  });

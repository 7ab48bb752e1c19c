import type { FaultList } from '@fds/errors';

/** Members of a catalogued property that the model determines. */
const derived = ['uuid', 'name', 'type', 'format', 'required', 'drKey', 'reference'] as const;

/** The members of a catalogued property; absent members are null. */
type ShownProperty = Readonly<Partial<Record<(typeof derived)[number], string | boolean | null>>>;

/** A patch of a catalogued property: the description, and the other members unchanged. */
export interface PropertyPatch extends ShownProperty {
  /** Null means the description of the model. */
  readonly description?: string | null;
}

/** A patch may change the description only. A different value of any other member is a fault. */
export const checkPropertyPatch = (patch: PropertyPatch, current: ShownProperty, faults: FaultList): void => {
  for (const member of derived) {
    if (patch[member] !== undefined && patch[member] !== (current[member] ?? null)) {
      faults.add(`/${member}`, 'NOT_ALLOWED', `PATCH changes the description only: ${member} follows from the model`);
    }
  }
};

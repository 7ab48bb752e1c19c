import type { FaultList } from '@fds/resource-rules';

/** Members of a catalogued property that follow from the model. */
const derived = ['uuid', 'name', 'type', 'format', 'required', 'drKey', 'reference'] as const;

/** The members that a catalogued property shows; an absent member shows as null. */
type ShownProperty = Readonly<Partial<Record<(typeof derived)[number], string | boolean | null>>>;

/** A patch of a catalogued property: the description, and the other members as they were read. */
export interface PropertyPatch extends ShownProperty {
  /** Null: the one of the model. */
  readonly description?: string | null;
}

/** A patch changes the description only; another value of any other member is a fault. */
export const checkPropertyPatch = (patch: PropertyPatch, current: ShownProperty, faults: FaultList): void => {
  for (const member of derived) {
    if (patch[member] !== undefined && patch[member] !== (current[member] ?? null)) {
      faults.add(`/${member}`, 'NOT_ALLOWED', `PATCH changes the description only: ${member} follows from the model`);
    }
  }
};

import { readCutDescription, readName, type FaultList } from '@fds/errors';

/** Settings that groups and roles have in common. */
export interface Named {
  readonly name: string;
  readonly description: string | null;
}

export const readNamed = (
  input: { readonly name?: string | null; readonly description?: string | null },
  faults: FaultList,
): Named => ({ name: readName(input.name, 1, faults), description: readCutDescription(input.description, faults) });

import type { AccessRule } from '@fds/data-access';
import type { GivenChangeVersion } from '@fds/resource-rules';

/** A data access rule of a role, as it is read. */
export interface DataAccessRule extends AccessRule {
  readonly uuid: string;
  /** From 0, without gaps. */
  readonly position: number;
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
  readonly changeVersion: number;
}

type Selectors = { readonly [Name in keyof Omit<AccessRule, 'effect'>]?: AccessRule[Name] };

/** A rule as a caller sends it; null and absent are the same, but in a patch. */
export interface DataAccessRuleInput extends Selectors {
  readonly effect?: AccessRule['effect'] | null;
  /** Where an existing rule goes. */
  readonly position?: number | null;
  readonly changeVersion?: GivenChangeVersion;
}

export const maxRules = 1_000;
export const maxListed = 1_000;

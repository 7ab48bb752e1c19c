import type { AccessRule } from '@fds/access-rules';
import type { GivenChangeVersion } from '@fds/errors';

/** A data access rule of a role, in answers. */
export interface DataAccessRule extends AccessRule {
  readonly uuid: string;
  /** Starts at 0, without gaps. */
  readonly position: number;
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
  readonly changeVersion: number;
}

type Selectors = { readonly [Name in keyof Omit<AccessRule, 'effect'>]?: AccessRule[Name] };

/** A rule from a caller. Null and absent are the same, except in a patch. */
export interface DataAccessRuleInput extends Selectors {
  readonly effect?: AccessRule['effect'] | null;
  /** New position of an existing rule. */
  readonly position?: number | null;
  readonly changeVersion?: GivenChangeVersion;
}

export const maxRules = 1_000;
export const maxListed = 1_000;

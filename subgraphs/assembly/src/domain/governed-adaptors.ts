import { compileChains, type AclEntry, type GovernanceRules } from '@fds/governance-rules';
import type { CapableAdaptor } from './choose-sources.js';

/** Adaptors that are capable of GET for a version, and the chains of their zones and of the asking zone. */
export interface GovernedAdaptors {
  readonly capable: readonly CapableAdaptor[];
  readonly rules: GovernanceRules;
  /** Records that some entry names by uuid. The chains treat all other records alike. */
  readonly named: ReadonlySet<string>;
  readonly entryCount: number;
}

export const compileAdaptors = (
  capable: readonly CapableAdaptor[],
  entries: readonly AclEntry[],
): GovernedAdaptors => ({
  capable,
  rules: compileChains(entries),
  named: new Set(entries.flatMap(({ drUuids }) => drUuids ?? [])),
  entryCount: entries.length,
});

/** How much memory they take, in adaptors, entries and named records. */
export const weightOf = ({ capable, named, entryCount }: GovernedAdaptors): number =>
  1 + capable.length + entryCount + named.size;

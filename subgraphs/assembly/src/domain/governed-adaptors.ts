import { compileChains, type AclEntry, type GovernanceRules } from '@fds/governance-rules';
import type { CapableAdaptor } from './choose-sources.js';

/** Adaptors that are capable of GET for a version, with the chains of their zones and of the asking zone. */
export interface GovernedAdaptors {
  readonly capable: readonly CapableAdaptor[];
  readonly rules: GovernanceRules;
  /** Records that an entry selects by uuid. The chains treat all other records alike. */
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

/** Their weight for the cache: the number of adaptors, entries and selected records. */
export const weightOf = ({ capable, named, entryCount }: GovernedAdaptors): number =>
  1 + capable.length + entryCount + named.size;

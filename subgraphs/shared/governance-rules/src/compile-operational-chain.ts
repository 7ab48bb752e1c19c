import type { AclEffect } from './acl-entry.js';
import { operationalEffectOf, type OperationalAction, type OperationalEntry } from './operational-entry.js';
import { SelectorIndex, type Selectors } from './selector-index.js';

/** A source that is about to create or delete a record. */
export interface SourceOperation {
  readonly action: OperationalAction;
  readonly sourceZoneUuid: string;
  readonly sourceAdaptorUuid: string;
  readonly domainVersionUuid: string;
}

/** The decision of the operational chain on an operation. */
export interface OperationalDecision {
  readonly outcome: 'ALLOWED' | 'DENIED';
  /** The entry that decided; undefined: the default policy. */
  readonly applied?: { readonly aclUuid: string; readonly position: number; readonly result: AclEffect };
}

/** The operational chain, compiled once per change. */
export interface OperationalRules {
  decide(operation: SourceOperation): OperationalDecision;
}

const selectorsOf = (
  from: Pick<OperationalEntry, 'sourceZoneUuid' | 'sourceAdaptorUuid' | 'domainVersionUuid'>,
): Selectors => ({ zone: from.sourceZoneUuid, source: from.sourceAdaptorUuid, version: from.domainVersionUuid });

interface Slot {
  first: OperationalEntry | undefined;
}

/**
 * Compiles the operational chain (docs/reference/governance.md#operational-entries). No entry: allowed. Entries may come
 * in any order.
 */
export const compileOperationalChain = (entries: Iterable<OperationalEntry>): OperationalRules => {
  const inOrder = [...entries].filter(({ active }) => active).sort((a, b) => a.position - b.position);
  const indexOf = (action: OperationalAction): SelectorIndex<Slot> => {
    const index = new SelectorIndex<Slot>(() => ({ first: undefined }));
    for (const entry of inOrder) {
      if (operationalEffectOf(entry, action) !== null) index.at(selectorsOf(entry)).first ??= entry;
    }
    return index;
  };
  const indexes = { POST: indexOf('POST'), DELETE: indexOf('DELETE') };

  return {
    decide: (operation) => {
      let first: OperationalEntry | undefined;
      for (const { first: entry } of indexes[operation.action].fulfilledBy(selectorsOf(operation))) {
        if (entry !== undefined && (first === undefined || entry.position < first.position)) first = entry;
      }
      if (first === undefined) return { outcome: 'ALLOWED' };
      const result = operationalEffectOf(first, operation.action) ?? 'ALLOW';
      return {
        outcome: result === 'DENY' ? 'DENIED' : 'ALLOWED',
        applied: { aclUuid: first.uuid, position: first.position, result },
      };
    },
  };
};

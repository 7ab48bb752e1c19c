import { stringifyJson } from '@fds/json';
import { describeRecordType, type RecordTypeDefinition } from '@fds/record-types';
import type { DomainVersionView } from '../../domain/catalog.js';

/** A record type came, changed or went. */
type RecordTypeChange =
  | { readonly kind: 'PUT'; readonly definition: RecordTypeDefinition }
  | { readonly kind: 'REMOVED'; readonly typeName: string };

/** The record types of the active domain versions, for the gateway that publishes them. */
export interface RecordTypeFeed {
  current(): readonly RecordTypeDefinition[];
  /** Called after a change, in process. The returned function ends it. Must not throw. */
  onRecordTypesChanged(listener: (changes: readonly RecordTypeChange[]) => void): () => void;
}

/** A feed that is brought up to date from outside. */
export interface WritableRecordTypeFeed extends RecordTypeFeed {
  update(versions: Iterable<DomainVersionView>): void;
}

/** Describes each version once: a version that did not change costs a comparison. */
export const createRecordTypeFeed = (): WritableRecordTypeFeed => {
  const described = new Map<
    string,
    { readonly version: DomainVersionView; readonly definition: RecordTypeDefinition }
  >();
  const listeners = new Set<(changes: readonly RecordTypeChange[]) => void>();

  const findChanges = (versions: Iterable<DomainVersionView>): RecordTypeChange[] => {
    const changes: RecordTypeChange[] = [];
    const active = new Set<string>();
    for (const version of versions) {
      if (!version.active) continue;
      active.add(version.uuid);
      const before = described.get(version.uuid);
      if (before?.version === version) continue;
      const definition = describeRecordType({ ...version, domainVersionUuid: version.uuid });
      described.set(version.uuid, { version, definition });
      if (before !== undefined && stringifyJson(before.definition) === stringifyJson(definition)) continue;
      if (before !== undefined && before.definition.typeName !== definition.typeName) {
        changes.push({ kind: 'REMOVED', typeName: before.definition.typeName });
      }
      changes.push({ kind: 'PUT', definition });
    }
    for (const [uuid, { definition }] of described) {
      if (active.has(uuid)) continue;
      described.delete(uuid);
      changes.unshift({ kind: 'REMOVED', typeName: definition.typeName });
    }
    return changes;
  };

  return {
    current: () => [...described.values()].map(({ definition }) => definition),
    onRecordTypesChanged: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    update: (versions) => {
      const changes = findChanges(versions);
      if (changes.length === 0) return;
      for (const listener of listeners) listener(changes);
    },
  };
};

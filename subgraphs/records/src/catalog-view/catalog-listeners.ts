import type { CatalogChange } from './store/load-catalog-changes.js';

/** The resources that events may have waited for. */
export interface UnblockingChange {
  /** Versions that are new or have changed. */
  readonly versions: readonly string[];
  /** Adaptors that are new or may do more than before. */
  readonly adaptors: readonly string[];
  /** The operational chain was changed. */
  readonly operational: boolean;
}

/** The listeners of a catalog view. None of them may throw. */
export class CatalogListeners {
  readonly #changed: (() => void)[] = [];
  readonly #unblocked: ((unblocked: UnblockingChange) => void)[] = [];
  readonly #deleted: (() => void)[] = [];

  onChanged(listener: () => void): void {
    this.#changed.push(listener);
  }

  onUnblocked(listener: (unblocked: UnblockingChange) => void): void {
    this.#unblocked.push(listener);
  }

  onAdaptorDeleted(listener: () => void): void {
    this.#deleted.push(listener);
  }

  /** Versions, adaptors or chains may have changed. */
  changed(): void {
    for (const listener of this.#changed) listener();
  }

  /** Informs the listeners when something was unblocked. */
  unblocked(unblocked: UnblockingChange): void {
    const { versions, adaptors, operational } = unblocked;
    if (versions.length + adaptors.length === 0 && !operational) return;
    for (const listener of this.#unblocked) listener(unblocked);
  }

  /** Informs the listeners when an adaptor is among the deleted resources. */
  deleted(changes: readonly CatalogChange[]): void {
    if (!changes.some(({ resourceType, action }) => resourceType === 'Adaptor' && action === 'DELETE')) return;
    for (const listener of this.#deleted) listener();
  }
}

import { referencesOf, referenceTreeOf, type CompiledModel } from '@fds/model-schema';
import type { CatalogView } from './open-catalog-view.js';

/** Makes sure that the catalog holds the versions that a model refers to, however late the change log is. */
export const findReferencedVersions = async (view: CatalogView, model: CompiledModel): Promise<void> => {
  if (referenceTreeOf(model).size === 0) return;
  for (const { reference } of referencesOf(model)) {
    const isKnown = view.catalog.version(reference.domain, reference.version) !== undefined;
    if (!isKnown) await view.findVersion(reference.domain, reference.version);
  }
};

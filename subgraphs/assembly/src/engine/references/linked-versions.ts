import { referencesOf, type CompiledModel } from '@fds/model-schema';
import type { LinkedVersion, LinkedVersions } from '@fds/references';
import type { CatalogMemory } from '../../catalog/catalog-memory.js';
import type { AssembledVersion } from '../../store/version-store.js';

/** The versions of one answer that its references lead to. */
export interface KnownVersions extends LinkedVersions {
  /** Looks up the versions to which the references of a model lead. Before this call they are unknown. */
  learn(model: CompiledModel): Promise<void>;
  linkedOf(version: AssembledVersion): LinkedVersion;
  assembledOf(version: LinkedVersion): AssembledVersion;
}

const toLinked = ({ domainVersionUuid, ...version }: AssembledVersion): LinkedVersion => ({
  ...version,
  uuid: domainVersionUuid,
});

export const createKnownVersions = (catalog: CatalogMemory): KnownVersions => {
  const learned = new Map<CompiledModel, Promise<void>>();
  const byName = new Map<string, LinkedVersion | undefined>();
  const linked = new Map<string, LinkedVersion>();
  const assembled = new Map<string, AssembledVersion>();

  const keyOf = (domain: string, version: number): string => `${domain.toLowerCase()} ${version}`;

  /** Returns the same object for the same version. */
  const linkedOf = (version: AssembledVersion): LinkedVersion => {
    const known = linked.get(version.domainVersionUuid) ?? toLinked(version);
    linked.set(version.domainVersionUuid, known);
    assembled.set(version.domainVersionUuid, version);
    return known;
  };

  const lookUp = async (model: CompiledModel): Promise<void> => {
    const targets = new Map(
      referencesOf(model).map(({ reference }) => [keyOf(reference.domain, reference.version), reference]),
    );
    const unknown = [...targets].filter(([key]) => !byName.has(key));
    if (unknown.length === 0) return;
    const found = await catalog.decide((facts) =>
      Promise.all(unknown.map(([, { domain, version: number }]) => facts.byName(domain, number))),
    );
    for (const [place, [key]] of unknown.entries()) {
      const version = found[place];
      byName.set(key, version && linkedOf(version));
    }
  };

  return {
    version: (domain, number) => byName.get(keyOf(domain, number)),
    learn: (model) => {
      const known = learned.get(model) ?? lookUp(model);
      learned.set(model, known);
      return known;
    },
    linkedOf,
    assembledOf: ({ uuid }) => {
      const version = assembled.get(uuid);
      if (version === undefined) throw new TypeError('the version is not of this answer');
      return version;
    },
  };
};

import type { AdaptorView, Catalog, DomainVersionView } from '../domain/catalog.js';
import { isCapable, mayDoMore } from '../domain/catalog.js';
import type { LoadedVersion } from './store/load-catalog.js';

const versionKey = (domainName: string, versionNumber: number): string =>
  `${domainName.toLowerCase()}:${versionNumber}`;

/** The catalog in memory, brought up to date piece by piece. */
export class CatalogTables implements Catalog {
  readonly #versions = new Map<string, LoadedVersion>();
  readonly #byName = new Map<string, LoadedVersion>();
  readonly #domains = new Map<string, LoadedVersion>();
  readonly #adaptors = new Map<string, AdaptorView>();
  readonly #destinations = new Map<string, readonly AdaptorView[]>();
  readonly #bystanders = new Map<string, readonly AdaptorView[]>();

  version(domainName: string, versionNumber: number): DomainVersionView | undefined {
    return this.#byName.get(versionKey(domainName, versionNumber));
  }

  versionByUuid(uuid: string): DomainVersionView | undefined {
    return this.#versions.get(uuid);
  }

  /** Version 0 is the default one. */
  versionOfDomain(domainUuid: string, versionNumber: number): DomainVersionView | undefined {
    const standard = this.#domains.get(domainUuid);
    if (standard === undefined || versionNumber === 0) return standard;
    return this.version(standard.domainName, versionNumber);
  }

  versions(): Iterable<DomainVersionView> {
    return this.#versions.values();
  }

  adaptor(uuid: string): AdaptorView | undefined {
    return this.#adaptors.get(uuid);
  }

  /** Active adaptors that have any capability for the version, sorted by uuid. */
  holders(version: DomainVersionView): readonly AdaptorView[] {
    const actions = ['GET', 'POST', 'PUT', 'DELETE'] as const;
    return [...this.#adaptors.values()]
      .filter((adaptor) => adaptor.active && actions.some((action) => isCapable(adaptor, version, action)))
      .toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1));
  }

  /** Adaptors that the service runs. */
  webhookAdaptors(): readonly AdaptorView[] {
    return [...this.#adaptors.values()].filter(({ webhookRevision }) => webhookRevision !== undefined);
  }

  destinations(version: DomainVersionView): readonly AdaptorView[] {
    const known = this.#destinations.get(version.uuid);
    if (known !== undefined) return known;
    const actions = ['POST', 'PUT', 'DELETE'] as const;
    const destinations = [...this.#adaptors.values()]
      .filter((adaptor) => adaptor.active && actions.some((action) => isCapable(adaptor, version, action)))
      .sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
    this.#destinations.set(version.uuid, destinations);
    return destinations;
  }

  bystanders(version: DomainVersionView): readonly AdaptorView[] {
    const known = this.#bystanders.get(version.uuid);
    if (known !== undefined) return known;
    const actions = ['GET', 'POST', 'PUT', 'DELETE'] as const;
    const destinations = new Set(this.destinations(version));
    const bystanders = [...this.#adaptors.values()]
      .filter((adaptor) => !destinations.has(adaptor) && actions.some((action) => isCapable(adaptor, version, action)))
      .sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
    this.#bystanders.set(version.uuid, bystanders);
    return bystanders;
  }

  /**
   * Replaces the versions of some domains, or of all.
   *
   * @returns those that are new or have changed
   */
  putVersions(loaded: readonly LoadedVersion[], domainUuids: readonly string[] | undefined): readonly string[] {
    const domains = domainUuids === undefined ? undefined : new Set(domainUuids);
    const changed = loaded.filter(({ uuid, revision }) => this.#versions.get(uuid)?.revision !== revision);
    for (const version of this.#versions.values()) {
      if (domains === undefined || domains.has(version.domainUuid)) this.#remove(version);
    }
    for (const version of loaded) {
      this.#versions.set(version.uuid, version);
      this.#byName.set(versionKey(version.domainName, version.versionNumber), version);
      if (!version.isDefault) continue;
      this.#byName.set(versionKey(version.domainName, 0), version);
      this.#domains.set(version.domainUuid, version);
    }
    this.#destinations.clear();
    this.#bystanders.clear();
    return changed.map(({ uuid }) => uuid);
  }

  /**
   * Replaces some adaptors, or all.
   *
   * @returns those that are new, may do what they could not, or are active again
   */
  putAdaptors(loaded: readonly AdaptorView[], uuids: readonly string[] | undefined): readonly string[] {
    const enabled = loaded.filter((adaptor) => mayDoMore(adaptor, this.#adaptors.get(adaptor.uuid)));
    for (const uuid of uuids ?? [...this.#adaptors.keys()]) this.#adaptors.delete(uuid);
    for (const adaptor of loaded) this.#adaptors.set(adaptor.uuid, adaptor);
    this.#destinations.clear();
    this.#bystanders.clear();
    return enabled.map(({ uuid }) => uuid);
  }

  #remove(version: LoadedVersion): void {
    this.#versions.delete(version.uuid);
    this.#byName.delete(versionKey(version.domainName, version.versionNumber));
    if (!version.isDefault) return;
    this.#byName.delete(versionKey(version.domainName, 0));
    this.#domains.delete(version.domainUuid);
  }
}

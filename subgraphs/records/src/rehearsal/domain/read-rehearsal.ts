import type { AccessRule } from '@fds/access-rules';
import { FaultList } from '@fds/errors';
import type { AclEntry, Chain, OperationalEntry } from '@fds/governance-rules';
import { readMatchingAlgorithm } from '@fds/matching';
import { keyPropertiesOf } from '@fds/model-schema';
import type { AdaptorView, DomainVersionView } from '../../domain/catalog.js';
import type { OperationalEntryInput, RehearsalInput, ZoneEntryInput } from './rehearsal-input.js';

/** Most events that a rehearsal examines by number, and within a time. */
const maxLast = 10_000;
export const maxInRange = 100_000;

/** The resources that a rehearsal may name. */
export interface KnownResources {
  adaptor(uuid: string): AdaptorView | undefined;
  versionByUuid(uuid: string): DomainVersionView | undefined;
  versions(): Iterable<DomainVersionView>;
  /** Uuids of existing zones and domains, of those that the input names. */
  readonly places: ReadonlySet<string>;
}

const propertyName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** Zones and domains that the input names. */
export const placesOf = ({ inboundAcls, outboundAcls, operationalAcls, dataAccessRules }: RehearsalInput): string[] =>
  [
    ...[...(inboundAcls ?? []), ...(outboundAcls ?? [])].flatMap(({ sourceZoneUuid, destinationZoneUuid }) => [
      sourceZoneUuid ?? [],
      destinationZoneUuid ?? [],
    ]),
    ...(operationalAcls ?? []).map(({ sourceZoneUuid }) => sourceZoneUuid ?? []),
    ...(dataAccessRules?.rules ?? []).flatMap(({ zoneUuid, domainUuid }) => [zoneUuid ?? [], domainUuid ?? []]),
  ].flat();

/** Reads the parts of a rehearsal. Each fault is noted with its place; then the result is meaningless. */
export class RehearsalReader {
  readonly #known: KnownResources;
  readonly #faults: FaultList;
  #allNames: ReadonlySet<string> | undefined;

  constructor(known: KnownResources, faults: FaultList) {
    this.#known = known;
    this.#faults = faults;
  }

  #reference(
    pointer: string,
    what: string,
    uuid: string | null | undefined,
    isKnown: (uuid: string) => boolean,
  ): string | null {
    if (uuid === null || uuid === undefined) return null;
    if (!isKnown(uuid)) this.#faults.add(pointer, 'UNKNOWN_REFERENCE', `there is no ${what} ${uuid}`);
    return uuid;
  }

  #place(pointer: string, what: string, uuid: string | null | undefined): string | null {
    return this.#reference(pointer, what, uuid, (each) => this.#known.places.has(each));
  }

  #adaptor(pointer: string, uuid: string | null | undefined): string | null {
    return this.#reference(pointer, 'adaptor', uuid, (each) => this.#known.adaptor(each) !== undefined);
  }

  #version(pointer: string, uuid: string | null | undefined): string | null {
    return this.#reference(pointer, 'domain version', uuid, (each) => this.#known.versionByUuid(each) !== undefined);
  }

  #namesOf(versionUuid: string | null): ReadonlySet<string> {
    const lower = (versions: Iterable<DomainVersionView>): ReadonlySet<string> =>
      new Set([...versions].flatMap(({ model }) => model.properties.map(({ name }) => name.toLowerCase())));
    if (versionUuid === null) return (this.#allNames ??= lower(this.#known.versions()));
    const version = this.#known.versionByUuid(versionUuid);
    return version === undefined ? new Set() : lower([version]);
  }

  #properties(at: string, names: readonly string[] | null | undefined, versionUuid: string | null): readonly string[] {
    const isVersionKnown = versionUuid === null || this.#known.versionByUuid(versionUuid) !== undefined;
    for (const [index, name] of (names ?? []).entries()) {
      if (!isVersionKnown || this.#namesOf(versionUuid).has(name.toLowerCase())) continue;
      const where = versionUuid === null ? 'no domain version has' : 'the domain version does not have';
      this.#faults.add(`${at}/properties/${index}`, 'UNKNOWN_PROPERTY', `${where} a property ${JSON.stringify(name)}`);
    }
    return [...new Set(names)];
  }

  /** A chain of a zone. @param saved records of saved entries, by their uuid */
  chain(
    inputs: readonly ZoneEntryInput[],
    { zoneUuid, chain }: { readonly zoneUuid: string; readonly chain: Chain },
    saved: ReadonlyMap<string, readonly string[]>,
  ): readonly AclEntry[] {
    const list = chain === 'INBOUND' ? '/inboundAcls' : '/outboundAcls';
    const ownZone = chain === 'INBOUND' ? 'destinationZoneUuid' : 'sourceZoneUuid';
    return inputs.map((input, position) => {
      const at = `${list}/${position}`;
      const own = input[ownZone];
      if (own !== null && own !== undefined && own !== zoneUuid) {
        this.#faults.add(`${at}/${ownZone}`, 'FOREIGN_ZONE', `${ownZone} is the zone of the chain, ${zoneUuid}`);
      }
      const domainVersionUuid = this.#version(`${at}/domainVersionUuid`, input.domainVersionUuid);
      const entry = {
        uuid: input.uuid ?? `${chain} ${position}`,
        zoneUuid,
        chain,
        position,
        sourceZoneUuid: this.#place(`${at}/sourceZoneUuid`, 'zone', input.sourceZoneUuid),
        sourceAdaptorUuid: this.#adaptor(`${at}/sourceAdaptorUuid`, input.sourceAdaptorUuid),
        destinationZoneUuid: this.#place(`${at}/destinationZoneUuid`, 'zone', input.destinationZoneUuid),
        destinationAdaptorUuid: this.#adaptor(`${at}/destinationAdaptorUuid`, input.destinationAdaptorUuid),
        domainVersionUuid,
        properties: this.#properties(at, input.properties, domainVersionUuid),
        get: input.get ?? null,
        post: input.post ?? null,
        put: input.put ?? null,
        delete: input.delete ?? null,
        active: input.active ?? true,
        drUuids: input.drUuids ?? saved.get(input.uuid ?? '') ?? [],
      };
      return { ...entry, [ownZone]: zoneUuid };
    });
  }

  operationalChain(inputs: readonly OperationalEntryInput[]): readonly OperationalEntry[] {
    return inputs.map((input, position) => {
      const at = `/operationalAcls/${position}`;
      return {
        uuid: `OPERATIONAL ${position}`,
        position,
        sourceZoneUuid: this.#place(`${at}/sourceZoneUuid`, 'zone', input.sourceZoneUuid),
        sourceAdaptorUuid: this.#adaptor(`${at}/sourceAdaptorUuid`, input.sourceAdaptorUuid),
        domainVersionUuid: this.#version(`${at}/domainVersionUuid`, input.domainVersionUuid),
        post: input.post ?? null,
        delete: input.delete ?? null,
        active: input.active ?? true,
      };
    });
  }

  rules({ rules }: NonNullable<RehearsalInput['dataAccessRules']>): readonly AccessRule[] {
    return rules.map((rule, index) => {
      const at = `/dataAccessRules/rules/${index}`;
      if (rule.effect === null || rule.effect === undefined) {
        this.#faults.add(`${at}/effect`, 'REQUIRED', 'effect is ALLOW or DENY');
      }
      const domainVersionUuid = this.#version(`${at}/domainVersionUuid`, rule.domainVersionUuid);
      for (const [name, list] of Object.entries({
        actions: rule.actions,
        properties: rule.properties,
        drUuids: rule.drUuids,
      })) {
        if (list?.length === 0) {
          this.#faults.add(`${at}/${name}`, 'OUT_OF_RANGE', 'an empty list selects nothing; null means any');
        }
      }
      for (const [place, name] of (rule.properties ?? []).entries()) {
        if (propertyName.test(name)) continue;
        const detail = 'must be the name of a property at the top of a model';
        this.#faults.add(`${at}/properties/${place}`, 'INVALID_VALUE', detail);
      }
      return {
        effect: rule.effect ?? 'DENY',
        actions: rule.actions ?? null,
        zoneUuid: this.#place(`${at}/zoneUuid`, 'zone', rule.zoneUuid),
        adaptorUuid: this.#adaptor(`${at}/adaptorUuid`, rule.adaptorUuid),
        domainUuid: this.#place(`${at}/domainUuid`, 'domain', rule.domainUuid),
        domainVersionUuid,
        properties: rule.properties ?? null,
        drUuids: rule.drUuids ?? null,
      };
    });
  }

  /** An algorithm is checked, but this version does not rehearse it: it is refused, so that no caller relies on an empty answer. */
  matching({ domainVersionUuid, matchingAlgorithm }: NonNullable<RehearsalInput['matchingAlgorithm']>): void {
    const at = '/matchingAlgorithm';
    this.#version(`${at}/domainVersionUuid`, domainVersionUuid);
    const version = this.#known.versionByUuid(domainVersionUuid);
    if (version === undefined) return;
    const own = new FaultList();
    readMatchingAlgorithm(matchingAlgorithm ?? null, keyPropertiesOf(version.model), own);
    for (const { pointer, code, detail } of own.causes) this.#faults.add(`${at}${pointer}`, code, detail);
    this.#faults.add(at, 'NOT_SUPPORTED', 'a matching algorithm cannot be rehearsed yet');
  }

  /** The number of events to examine: that of the input, or the most within a time. */
  events({ last, from, to, domainVersionUuid, adaptorUuid }: RehearsalInput['events']): { readonly limit: number } {
    this.#version('/events/domainVersionUuid', domainVersionUuid);
    this.#adaptor('/events/adaptorUuid', adaptorUuid);
    const hasLast = last !== null && last !== undefined;
    const hasRange = (from ?? to ?? undefined) !== undefined;
    if (hasLast && hasRange)
      this.#faults.add('/events/last', 'CONTRADICTION', 'last is possible without from and to only');
    if (!hasLast && !hasRange) this.#faults.add('/events/last', 'REQUIRED', 'last, or from and to, is required');
    if (hasLast && (last < 1 || last > maxLast)) {
      this.#faults.add('/events/last', 'OUT_OF_RANGE', `last is from 1 to ${maxLast}, not ${last}`);
    }
    if (!hasLast && hasRange && (from ?? undefined) === undefined) {
      this.#faults.add('/events/from', 'REQUIRED', 'from is required with to');
    }
    if (!hasLast && hasRange && (to ?? undefined) === undefined) {
      this.#faults.add('/events/to', 'REQUIRED', 'to is required with from');
    }
    if (from && to && from >= to) this.#faults.add('/events/to', 'OUT_OF_RANGE', 'to is after from');
    return { limit: hasLast ? last : maxInRange + 1 };
  }
}

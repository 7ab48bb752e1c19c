import type { Database, Queryable } from '@fds/database';
import { AppError, FaultList } from '@fds/errors';
import { compileChains, compileOperationalChain, type AclEntry, type Chain } from '@fds/governance-rules';
import { guarded, JsonText, type RequestContext } from '@fds/graphql';
import { loadAclEntries } from '@fds/owned-tables';
import { createFairQueue, createGiveWay, QueueFull } from '@fds/service';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import { shortUuid } from '../../domain/events/explanation.js';
import type { EventRange } from '../../store/events/search-events.js';
import { readRecordedEvent } from '../domain/read-recorded-event.js';
import { maxInRange, placesOf, RehearsalReader } from '../domain/read-rehearsal.js';
import type { RecordedEvent } from '../domain/recorded-event.js';
import { RehearsalTally } from '../domain/rehearsal-tally.js';
import { RehearsedRouting, type RehearsedRules } from '../domain/rehearse-event.js';
import { RehearsedRecords } from '../domain/rehearsed-records.js';
import type { RehearsalInput } from '../domain/rehearsal-input.js';
import { compareSights, type CompareSight } from '../domain/role-sight.js';
import { findPlaces } from '../store/find-places.js';
import { findRehearsedEvents, loadAdaptorsOfZone, type RehearsedZone } from '../store/find-rehearsed-events.js';
import { loadRecordedEvents } from '../store/load-recorded-events.js';
import { loadRoleRules } from '../store/load-role-rules.js';
import { RehearsalSight } from './rehearsal-sight.js';

export interface RehearsalAccess {
  readonly database: Database;
  readonly view: () => CatalogView;
}

interface RehearsalArguments {
  readonly zoneUuid: string;
  readonly input: RehearsalInput;
}

/** Rehearsals that run at once, of all callers and of one: the service has work besides. */
const share = { places: 2, placesPerCaller: 1, waitingPerCaller: 2, maxWaitMs: 60_000 };
/** Events that are read and decided on at once. */
const pageSize = 250;

/** The checked content of a rehearsal. */
interface ReadRehearsal {
  readonly rules: RehearsedRules;
  readonly sights: CompareSight | undefined;
  readonly range: EventRange;
  readonly limit: number;
}

const tooManyEvents = (): AppError => {
  const detail = `more than ${maxInRange} events are in the range`;
  return new AppError('QUERY_TOO_COMPLEX', `${detail}: choose a shorter one`, {
    errors: [{ pointer: '/events', code: 'TOO_LARGE', detail }],
  });
};

/** A rehearsal for one caller. */
class Rehearsal {
  readonly #access: RehearsalAccess;
  readonly #zoneUuid: string;
  readonly #input: RehearsalInput;
  readonly #context: RequestContext;

  constructor(access: RehearsalAccess, { zoneUuid, input }: RehearsalArguments, context: RequestContext) {
    this.#access = access;
    this.#zoneUuid = zoneUuid;
    this.#input = input;
    this.#context = context;
  }

  /** A session for a page: the answers of a page have one bound. */
  readonly #session = (): Queryable => {
    const { principal, signal } = this.#context;
    const caller = { key: principal.uuid, operation: {} };
    return this.#access.database.searches.sessionOf(signal === undefined ? caller : { ...caller, signal });
  };

  /** @throws AppError VALIDATION_FAILED, UNKNOWN_REFERENCE */
  async read(): Promise<ReadRehearsal> {
    const [view, session, faults] = [this.#access.view(), this.#session(), new FaultList(this.#context.purpose)];
    const { catalog } = view;
    const { inboundAcls, outboundAcls, operationalAcls, dataAccessRules, matchingAlgorithm, events } = this.#input;
    const known = {
      adaptor: (uuid: string) => catalog.adaptor(uuid),
      versionByUuid: (uuid: string) => catalog.versionByUuid(uuid),
      versions: () => catalog.versions(),
      places: await findPlaces(session, placesOf(this.#input)),
    };
    const reader = new RehearsalReader(known, faults);
    const saved = await loadAclEntries(session);
    const records = new Map(saved.map(({ uuid, drUuids = [] }) => [uuid, drUuids]));
    const chainOf = (inputs: RehearsalInput['inboundAcls'], chain: Chain): readonly AclEntry[] => {
      const key = { zoneUuid: this.#zoneUuid, chain };
      const isOf = (entry: AclEntry): boolean => entry.zoneUuid === key.zoneUuid && entry.chain === chain;
      return inputs ? reader.chain(inputs, key, records) : saved.filter(isOf);
    };
    const others = saved.filter(({ zoneUuid }) => zoneUuid !== this.#zoneUuid);
    const entries = [...others, ...chainOf(outboundAcls, 'OUTBOUND'), ...chainOf(inboundAcls, 'INBOUND')];
    const operational = operationalAcls
      ? compileOperationalChain(reader.operationalChain(operationalAcls))
      : view.operational;
    const before = dataAccessRules && (await loadRoleRules(session, this.#zoneUuid, dataAccessRules.roleUuid));
    if (dataAccessRules && before === undefined) {
      faults.add('/dataAccessRules/roleUuid', 'UNKNOWN_REFERENCE', `the zone has no role ${dataAccessRules.roleUuid}`);
    }
    const after = dataAccessRules ? reader.rules(dataAccessRules) : [];
    if (matchingAlgorithm) reader.matching(matchingAlgorithm);
    const { limit } = reader.events(events);
    faults.throwIfAny();
    return {
      rules: { governance: compileChains(entries), operational },
      sights: before ? compareSights({ before, after }, catalog) : undefined,
      range: {
        sourceAdaptorUuid: events.adaptorUuid ?? undefined,
        domainVersionUuid: events.domainVersionUuid ?? undefined,
        from: events.from ?? undefined,
        to: events.to ?? undefined,
      },
      limit,
    };
  }

  async #zone(): Promise<RehearsedZone> {
    const adaptorUuids = await loadAdaptorsOfZone(this.#session(), this.#zoneUuid);
    const own = [...this.#access.view().catalog.versions()].filter(({ zoneUuid }) => zoneUuid === this.#zoneUuid);
    return {
      adaptorUuids,
      shortUuids: adaptorUuids.map(shortUuid),
      ownVersionUuids: own.map(({ uuid }) => uuid),
      storedVersionUuids: own.filter(({ domainType }) => domainType === 'SERVICE_DATA_STORE').map(({ uuid }) => uuid),
    };
  }

  /** The events, oldest first. @throws AppError QUERY_TOO_COMPLEX */
  async #eventUuids({ range, limit }: ReadRehearsal, { seen }: RehearsalSight): Promise<readonly string[]> {
    const uuids: string[] = [];
    for await (const found of findRehearsedEvents(this.#session, await this.#zone(), range, limit, seen)) {
      uuids.push(...found);
    }
    if (uuids.length > maxInRange) throw tooManyEvents();
    return uuids.toReversed();
  }

  #isOfZone({ source, adaptors, store, version }: RecordedEvent): boolean {
    return (
      source.zoneUuid === this.#zoneUuid ||
      adaptors.some(({ place }) => place.zoneUuid === this.#zoneUuid) ||
      (store !== undefined && version.zoneUuid === this.#zoneUuid)
    );
  }

  async run(read: ReadRehearsal) {
    const { catalog } = this.#access.view();
    const sight = new RehearsalSight(this.#context.principal, this.#zoneUuid, catalog);
    const uuids = await this.#eventUuids(read, sight);
    const records = new RehearsedRecords();
    const routing = new RehearsedRouting(read.rules, records);
    const tally = new RehearsalTally();
    const giveWay = createGiveWay();
    for (let at = 0; at < uuids.length; at += pageSize) {
      for (const kept of await loadRecordedEvents(this.#session(), uuids.slice(at, at + pageSize))) {
        const turn = giveWay();
        if (turn !== undefined) await turn;
        const recorded = readRecordedEvent(kept, catalog);
        const event = recorded && this.#isOfZone(recorded) ? sight.event(recorded) : undefined;
        if (event === undefined) continue;
        const rehearsed = routing.decide(event).filter((destination) => sight.tells(event, destination));
        const seen = read.sights?.(event) ?? { gained: [], lost: [] };
        tally.add({ event, drKey: sight.key(event), rehearsed, sight: seen, match: undefined });
        if (records.isFull) throw tooManyEvents();
      }
    }
    const report = tally.report();
    return {
      ...report,
      differences: report.differences.map(({ drKey, ...difference }) => ({
        ...difference,
        drKey: drKey === null ? null : new JsonText(drKey),
      })),
    };
  }
}

/** `aclRehearsal(zoneUuid, input)` (docs/reference/rehearsal.md): decides again on recorded events, and writes nothing. */
export const createRehearsalResolvers = (access: RehearsalAccess) => {
  const queue = createFairQueue(share);
  const rehearse = async (args: RehearsalArguments, context: RequestContext) => {
    await access.view().catchUp();
    const rehearsal = new Rehearsal(access, args, context);
    const read = await rehearsal.read();
    try {
      return await queue.run(context.principal.uuid, () => rehearsal.run(read), context.signal);
    } catch (error) {
      if (!(error instanceof QueueFull)) throw error;
      throw new AppError('RATE_LIMITED', 'too many rehearsals wait', { cause: error });
    }
  };
  return {
    aclRehearsal: guarded<RehearsalArguments>(
      { mode: 'require', action: 'POST', resource: '/zones/{zoneUuid}/acls/dry-run' },
      rehearse,
      { checks: 'input' },
    ),
  };
};

import type { LinkedVersion } from '@fds/references';
import type { RequestShare } from '../../bounds/answer-budget.js';
import type { CatalogMemory } from '../../catalog/catalog-memory.js';
import { retainedBytes } from '../../bounds/retained-bytes.js';
import { mostRecords, type EffectiveRequest } from '../../domain/effective-request.js';
import { planMerge } from '../../domain/merge-plan.js';
import { referencedRequest } from '../../domain/references/referenced-request.js';
import { readRequestedProperties } from '../../domain/requested-properties.js';
import { assemblyRestriction } from '../../domain/assembly-restriction.js';
import { selectRecords, type CataloguedRecord } from '../../store/record-store.js';
import type { WindowOutcome } from '../completeness.js';
import { openWindow, type WindowDependencies } from '../open-window.js';
import type { AssemblyScope } from '../plan/assembly-scope.js';
import type { Deadline } from '../plan/deadline.js';
import { planSources } from '../plan/plan-sources.js';
import type { Asking } from '../plan/require-version.js';
import { storedRecords } from '../stored-records.js';
import { holdStored, holdWindow, type HeldRecords, type PresentRecord } from './held-records.js';
import type { KnownVersions } from './linked-versions.js';

export interface ReferencedRecordsOptions {
  readonly request: EffectiveRequest;
  readonly asking: Asking;
  readonly versions: KnownVersions;
  readonly share: RequestShare;
  readonly signal: AbortSignal;
  /** The deadline of the referring records. */
  readonly deadline: Deadline;
  /** RELEASE: answers after the release do not count. END: they count. */
  readonly until: 'RELEASE' | 'END';
  /** Takes memory. It throws when no memory is left. */
  readonly takeBytes: (bytes: number) => void;
}

/** A record that references lead to, with what it is part of. */
export interface FoundRecord extends PresentRecord {
  readonly scope: AssemblyScope;
}

/** The records to which the references of one answer lead. Each is assembled once. The owner closes it. */
export interface ReferencedRecords {
  /** Takes over records that are assembled already. */
  adopt(held: HeldRecords): void;
  /**
   * Assembles the records that are still missing: with one message to each adaptor for each version, all at the same
   * time.
   */
  hold(wanted: ReadonlyMap<LinkedVersion, ReadonlySet<string>>, level: number): Promise<void>;
  /** Undefined when the record does not exist, or the caller may not see it. */
  find(uuid: string): FoundRecord | undefined;
  revision(): number;
  settled(): Promise<void>;
  /** The outcomes of the adaptors that were asked for referenced records. */
  outcomes(): WindowOutcome[];
  close(): void;
}

/** Most records of a data store that are read at once, because they are in memory before they are counted. */
const mostStored = 200;

const chunksOf = (uuids: ReadonlySet<string>, size: number): string[][] => {
  const all = [...uuids];
  return Array.from({ length: Math.ceil(all.length / size) }, (_, place) =>
    all.slice(place * size, (place + 1) * size),
  );
};

export const openReferencedRecords = (
  dependencies: WindowDependencies & { readonly catalog: CatalogMemory },
  { request, asking, versions, share, signal, deadline, until, takeBytes }: ReferencedRecordsOptions,
): ReferencedRecords => {
  // the referring records are assembled already, and an answer without references is better than none
  const lenient: Deadline = { remainingMs: () => deadline.remainingMs(), within: (work) => work };
  const holders = new Map<string, HeldRecords | undefined>();
  const all: HeldRecords[] = [];
  const asked: { readonly level: number; readonly held: HeldRecords }[] = [];

  const select = async ({ version, restriction }: AssemblyScope, drUuids: readonly string[]) => {
    const { records } = await selectRecords(asking.searches, {
      domainVersionUuid: version.domainVersionUuid,
      domainType: version.domainType,
      drUuids,
      keyDigests: undefined,
      condition: undefined,
      orderBy: [],
      offset: 0,
      limit: drUuids.length,
      restriction,
      required: [],
    });
    return records;
  };

  const add = (held: HeldRecords, records: readonly CataloguedRecord[]): void => {
    all.push(held);
    for (const { uuid } of records) holders.set(uuid, held);
  };

  const holdFederated = async (scope: AssemblyScope, drUuids: readonly string[], level: number): Promise<void> => {
    const [records, sources] = await Promise.all([
      select(scope, drUuids),
      dependencies.catalog.decide((facts) => planSources(facts, scope)),
    ]);
    if (records.length === 0) return;
    const window = openWindow(dependencies, scope, records, { sources, deadline: lenient, share, signal });
    const held = holdWindow(scope, window, records);
    add(held, records);
    asked.push({ level, held });
    await window.gathering.released();
    if (until === 'RELEASE') held.close();
  };

  const holdDataStore = async (scope: AssemblyScope, drUuids: readonly string[]): Promise<void> => {
    const records = await select(scope, drUuids);
    for (const { json } of records) takeBytes(retainedBytes(json, 0));
    const { assembledDataRecords } = storedRecords({ records, totalElements: 0 }, scope);
    add(holdStored(scope, records, assembledDataRecords), records);
  };

  const holdVersion = async (linked: LinkedVersion, uuids: ReadonlySet<string>, level: number): Promise<void> => {
    const version = versions.assembledOf(linked);
    const scope: AssemblyScope = {
      version,
      request: referencedRequest(request, version, deadline.remainingMs()),
      restriction: assemblyRestriction(asking.principal, version),
      merge: planMerge(readRequestedProperties(undefined, version.model.properties), version.model),
    };
    if (version.domainType === 'FEDERATED') {
      const windows = chunksOf(uuids, mostRecords.plain).map((chunk) => holdFederated(scope, chunk, level));
      for (const outcome of await Promise.allSettled(windows)) if (outcome.status === 'rejected') throw outcome.reason;
      return;
    }
    for (const chunk of chunksOf(uuids, mostStored)) await holdDataStore(scope, chunk);
  };

  return {
    adopt: (held) =>
      add(
        held,
        [...held.present().values()].map(({ catalogued }) => catalogued),
      ),
    hold: async (wanted, level) => {
      const known = new Map<HeldRecords, string[]>();
      const opening = [...wanted].map(([version, uuids]) => {
        const unknown = new Set<string>();
        for (const uuid of uuids) {
          const held = holders.get(uuid);
          if (held === undefined) {
            if (!holders.has(uuid)) unknown.add(uuid);
            continue;
          }
          const waited = known.get(held) ?? [];
          known.set(held, waited);
          waited.push(uuid);
        }
        for (const uuid of unknown) holders.set(uuid, undefined);
        return holdVersion(version, unknown, level);
      });
      const waiting = [...known].map(([held, uuids]) => held.released(uuids));
      // all of them end before one failure ends the answer
      for (const outcome of await Promise.allSettled([...opening, ...waiting])) {
        if (outcome.status === 'rejected') throw outcome.reason;
      }
    },
    find: (uuid) => {
      const held = holders.get(uuid);
      const present = held?.present().get(uuid);
      return held === undefined || present === undefined ? undefined : { ...present, scope: held.scope };
    },
    revision: () => all.reduce((sum, held) => sum + 1 + held.revision(), 0),
    settled: async () => {
      await Promise.all(all.map((held) => held.settled()));
    },
    outcomes: () =>
      asked.map(({ level, held }) => {
        const { domainName: domain, versionNumber } = held.scope.version;
        return { ...held.outcome(), subject: { level, domain, versionNumber } };
      }),
    close: () => {
      for (const { held } of asked) held.close();
    },
  };
};

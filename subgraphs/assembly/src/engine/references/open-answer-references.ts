import type { AssembledRecord } from '@fds/assembly-contract';
import type { AnswerBound } from '../../bounds/answer-budget.js';
import type { CatalogMemory } from '../../catalog/catalog-memory.js';
import { createIsRequested } from '../../domain/references/is-requested.js';
import { statusWithReferences } from '../../domain/references/status-with-references.js';
import { expandRecords, type LinkedVersion, type LinkRequest, type ReferencedRecord } from '@fds/references';
import type { CataloguedRecord } from '../../store/record-store.js';
import type { WindowOutcome } from '../completeness.js';
import type { AssemblyWindow, WindowDependencies, WindowSurroundings } from '../open-window.js';
import type { AssemblyScope } from '../plan/assembly-scope.js';
import type { Asking } from '../plan/require-version.js';
import { holdWindow } from './held-records.js';
import { createLinkCache } from './link-cache.js';
import { createKnownVersions } from './linked-versions.js';
import { createNestedAllowance, maxReferenced, tooManyReferences } from './nested-allowance.js';
import { openReferencedRecords, type FoundRecord } from './open-referenced-records.js';

export interface ReferenceDependencies extends WindowDependencies {
  readonly catalog: CatalogMemory;
  /** Called for each answer that a bound ends. */
  readonly onBoundHit: (bound: AnswerBound) => void;
}

export interface ReferenceSurroundings extends Omit<WindowSurroundings, 'sources'> {
  readonly asking: Asking;
  /** RELEASE: answers after the release do not count. END: they count. */
  readonly until: 'RELEASE' | 'END';
}

/** The references of one page of records. The owner closes it. */
export interface AnswerReferences {
  /** Takes over the window of the page itself, so that referenced records of the page are not asked for again. */
  adopt(window: AssemblyWindow, records: readonly CataloguedRecord[]): void;
  /**
   * Nests the records that the given records refer to, level by level. It may be called again after a change, but not
   * concurrently.
   *
   * @param catalogued the same records, in the same order
   * @throws AppError QUERY_TOO_COMPLEX, RATE_LIMITED, UNAVAILABLE
   */
  expand(
    records: readonly AssembledRecord[],
    catalogued: readonly CataloguedRecord[],
  ): Promise<readonly AssembledRecord[]>;
  /** Increases with every change that `expand` would show. */
  revision(): number;
  /** Resolves when every question that was sent so far is answered, or the time is over. */
  settled(): Promise<void>;
  /** The outcomes of the windows of referenced records. */
  outcomes(): WindowOutcome[];
  close(): void;
}

/** Properties that the caller may see; undefined when these are all. */
const visibleOf = (
  { restriction, version }: AssemblyScope,
  { uuid, keyHolder }: CataloguedRecord,
): { readonly visible?: ReadonlySet<string> } => {
  if (restriction === undefined) return {};
  const access = version.domainType === 'FEDERATED' ? restriction.at(keyHolder) : restriction.own;
  return { visible: access.of(uuid).names };
};

/** A record for which no adaptor answered exists, but has no data. */
const toReferenced = ({ assembled, catalogued, scope }: FoundRecord): ReferencedRecord => ({
  uuid: assembled.uuid,
  drKey: assembled.drKey,
  json: assembled.status === 'UNAVAILABLE' ? null : assembled.data,
  ...visibleOf(scope, catalogued),
});

export const openAnswerReferences = (
  dependencies: ReferenceDependencies,
  scope: AssemblyScope,
  { asking, share, signal, deadline, until }: ReferenceSurroundings,
): AnswerReferences => {
  const { request, version } = scope;
  const versions = createKnownVersions(dependencies.catalog);
  const allowance = createNestedAllowance(share, dependencies.onBoundHit);
  const links = createLinkCache({
    ...asking,
    maxLinked: maxReferenced,
    tooMany: () => {
      dependencies.onBoundHit('assembly_references');
      return tooManyReferences();
    },
  });
  const referenced = openReferencedRecords(dependencies, {
    request,
    asking,
    versions,
    share,
    signal,
    deadline,
    until,
    takeBytes: allowance.takeBytes,
  });
  const isShown = createIsRequested(scope.merge.requested);

  /** Creates the function that looks up one level after the other. */
  const createLoad = () => {
    let level = 0;
    return async (requests: readonly LinkRequest[]): Promise<readonly (readonly ReferencedRecord[])[]> => {
      level += 1;
      const linked = await links(requests);
      const wanted = new Map<LinkedVersion, Set<string>>();
      for (const [place, { links: asked }] of requests.entries()) {
        const uuids = wanted.get(asked.version) ?? new Set();
        wanted.set(asked.version, uuids);
        for (const uuid of linked[place] ?? []) uuids.add(uuid);
      }
      await Promise.all([
        referenced.hold(wanted, level),
        ...[...wanted.keys()].map(({ model }) => versions.learn(model)),
      ]);
      const shown = new Map<string, ReferencedRecord | undefined>();
      const show = (uuid: string): ReferencedRecord | undefined => {
        if (!shown.has(uuid)) {
          const found = referenced.find(uuid);
          shown.set(uuid, found && toReferenced(found));
        }
        return shown.get(uuid);
      };
      return linked.map((uuids) => uuids.flatMap((uuid) => show(uuid) ?? []));
    };
  };

  return {
    adopt: (window, records) => {
      // a referenced record shows all its properties
      if (scope.merge.isEverything) referenced.adopt(holdWindow(scope, window, records));
    },
    expand: async (records, catalogued) => {
      for (const { uuid } of records) allowance.restart(uuid);
      await versions.learn(version.model);
      const linked = versions.linkedOf(version);
      const roots = records.map(({ uuid, data: json, drKey }, place) => {
        const known = catalogued[place];
        return { uuid, version: linked, json, drKey, isShown, ...(known === undefined ? {} : visibleOf(scope, known)) };
      });
      const incomplete = records.map((): NonNullable<AssembledRecord['incompleteReferences']>[number][] => []);
      const expanded = await expandRecords({ catalog: versions, load: createLoad() }, roots, {
        lists: 'WHOLE',
        maxDepth: request.maxRefDepth,
        maxSize: request.maxRefSize,
        onNested: ({ root, pointer, record: { uuid, json } }) => {
          allowance.nest(roots[root]?.uuid ?? '', json);
          const status = referenced.find(uuid)?.assembled.status ?? 'UNAVAILABLE';
          if (status !== 'PREFERRED_COMPLETE') incomplete[root]?.push({ pointer, uuid, status });
        },
      });
      return records.map((record, place) => {
        const incompleteReferences = incomplete[place] ?? [];
        return {
          ...record,
          data: expanded[place] ?? record.data,
          status: statusWithReferences(record.status, incompleteReferences.length === 0),
          ...(incompleteReferences.length === 0 ? {} : { incompleteReferences }),
        };
      });
    },
    revision: () => referenced.revision(),
    settled: () => referenced.settled(),
    outcomes: () => referenced.outcomes(),
    close: () => referenced.close(),
  };
};

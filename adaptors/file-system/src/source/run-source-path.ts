import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Adaptor, DeletionLimit } from '@fds/adaptor-sdk';
import type { SourcePath } from '../configuration/source-metadata.js';
import type { FaultReporter } from '../report-faults.js';
import type { KnownIdentity, MonitoringState } from '../state/monitoring-state.js';
import type { FolderIdentity, Storage, Unreadable } from '../storage/storage.js';
import { formatLocation } from '../uris/location.js';
import { createChangeQueue } from './change-queue.js';
import type { FileChange } from './file-event.js';
import type { AssembledPath } from './assemble-files.js';
import { judgeIdentity } from './folder-identity.js';
import { createDeletionGuard } from './create-deletion-guard.js';
import { createMonitoredFolder } from './monitored-folder.js';
import { type ChangePublisher, PartlyPublished } from './publish-changes.js';
import { digestReported, scanFolder } from './scan-folder.js';

export interface SourcePathOptions {
  readonly path: SourcePath;
  readonly storage: Storage;
  readonly state: MonitoringState;
  readonly publisher: ChangePublisher;
  readonly adaptor: Pick<Adaptor, 'log' | 'reportError' | 'caughtUp'>;
  /** Called when a scan of the folder is complete: every file that it found is reported. */
  readonly onComplete: (files: number) => Promise<void>;
  readonly faults: FaultReporter;
  readonly deletesRecords: boolean;
  readonly deletionLimit: DeletionLimit | null | undefined;
  readonly queueSize: number;
  readonly scanIntervalMs: number;
}

/** A folder that is monitored. */
export interface RunningPath extends AssembledPath {
  /** Scans until the signal is aborted. Resolves when it will publish nothing more. */
  run(signal: AbortSignal): Promise<void>;
  /** Ends the pause between two scans. */
  wake(): void;
}

/** The URI leads to another folder than before. Nothing of it is reported. */
class SourceChanged extends Error {
  override readonly name = 'SourceChanged';
}

/** Number of files that the journal writes at once. */
const batchSize = 256;
const examples = 5;
/** Part of the pause between two scans in which reported files are read. */
const digestShare = 0.1;
const maxReported = 10_000;

/** Identifies a monitored folder in the state and in reports. */
export const sourceNameOf = ({ domain, version, uri }: SourcePath): string =>
  `${domain.toLowerCase()}:${version} ${formatLocation(uri)}`;

export const createSourcePath = (options: SourcePathOptions): RunningPath => {
  const { path, storage, state, publisher, adaptor, faults } = options;
  const uri = formatLocation(path.uri);
  const folder = sourceNameOf(path);
  const monitored = createMonitoredFolder(state.files(folder));
  const accepts = path.sourceChanged === 'ACCEPT';
  let known = state.identity(folder);
  let rest = new AbortController();
  const reported = new Set<string>();

  const guard = createDeletionGuard(uri, options.deletionLimit, Date.now);
  const settle = (changes: readonly FileChange[]): void => {
    monitored.settled(changes);
    guard.passed(changes.filter(({ action }) => action === 'DELETED').length);
  };
  const publish = async (changes: readonly FileChange[]): Promise<void> => {
    try {
      settle(await publisher.publish({ path, folder, deletesRecords: options.deletesRecords, changes }));
    } catch (error) {
      if (error instanceof PartlyPublished) settle(error.changes);
      throw error;
    }
  };

  /** Reports each entry that cannot be monitored, once. */
  const tellUnreadable = async (unreadable: readonly Unreadable[]): Promise<void> => {
    const fresh = unreadable.filter(({ path: one }) => !reported.has(one));
    if (fresh.length === 0 || reported.size >= maxReported) return;
    for (const { path: one } of fresh) reported.add(one);
    const named = fresh.slice(0, examples).map(({ path: one, reason }) => `${JSON.stringify(one)}: ${reason}`);
    const message = `${fresh.length} entries of ${uri} cannot be monitored, such as ${named.join('; ')}`;
    adaptor.log.warn({ folder: uri }, message);
    await adaptor.reportError({ level: 'WARN', kind: 'SOURCE', message });
  };

  const remember = (next: KnownIdentity): void => {
    if (isDeepStrictEqual(next, known)) return;
    state.setIdentity(folder, next);
    known = next;
  };
  // an acceptance that is removed from the metadata may be used again
  if (!accepts) remember({ ...known, acceptanceUsed: false });

  const recognize = (present: FolderIdentity): void => {
    const verdict = judgeIdentity(uri, known, present, accepts);
    if (verdict.outcome === 'CHANGED') throw new SourceChanged(verdict.reason);
    remember(verdict.known);
  };

  const keptBack = `deletions of ${folder}`;

  const mayDelete = (missing: number): boolean => {
    const reason = guard.check(missing, monitored.size);
    // new and changed files are reported meanwhile, so the handler works
    if (reason === undefined) faults.worked(keptBack);
    else faults.failed(keptBack, reason, []);
    return reason === undefined;
  };

  /** Stores stamps and digests that became known without an event. A scan that is cut short keeps them too. */
  const storeAdopted = (): void => {
    const adopted = monitored.takeAdopted();
    if (adopted.length > 0) state.stamp(folder, adopted);
  };

  const scan = async (signal: AbortSignal): Promise<void> => {
    const queue = createChangeQueue(options.queueSize, batchSize, async (changes: readonly FileChange[]) => {
      // after a pause, publish nothing: the next scan finds the changes again
      if (!signal.aborted) await publish(changes);
    });
    try {
      const unreadable = await scanFolder({
        path,
        storage,
        folder: monitored,
        knownDigest: (file) => state.digest(folder, file),
        recognize,
        mayDelete,
        emit: queue.put,
        signal,
      });
      await queue.drain();
      await tellUnreadable(unreadable);
    } finally {
      await queue.drain().catch(() => undefined);
      storeAdopted();
    }
  };

  /** Reads reported files for a part of the pause between two scans. */
  const digest = async (ending: AbortSignal): Promise<void> => {
    const overAtMs = Date.now() + options.scanIntervalMs * digestShare;
    try {
      await digestReported({ path, storage, folder: monitored }, () => ending.aborted || Date.now() >= overAtMs);
    } finally {
      storeAdopted();
    }
  };

  return {
    path,
    has: (file) => monitored.has(file),
    sentDigest: (file) => (monitored.isAsKnown(file) ? state.sentDigest(folder, file.path) : undefined),
    run: async (signal) => {
      while (!signal.aborted) {
        rest = new AbortController();
        const ending = AbortSignal.any([signal, rest.signal]);
        const began = new Date();
        try {
          await scan(signal);
          faults.worked(folder);
          if (!signal.aborted) {
            adaptor.caughtUp(folder, began);
            await options.onComplete(monitored.size);
          }
          await digest(ending);
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          const handler = `${path.domain}:${path.version}`;
          if (!signal.aborted) faults.failed(folder, reason, [handler], error instanceof SourceChanged);
        }
        await wait(options.scanIntervalMs, undefined, { signal: ending }).catch(() => undefined);
      }
    },
    wake: () => rest.abort(),
  };
};

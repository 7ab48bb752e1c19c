import type { Adaptor, OutgoingEvent } from '@fds/adaptor-sdk';
import type { SourcePath } from '../configuration/source-metadata.js';
import type { MonitoringState } from '../state/monitoring-state.js';
import { StorageFault } from '../storage/storage-fault.js';
import { copyFile, type CopyTools } from '../transfer/copy-file.js';
import { UriFault } from '../uris/location.js';
import { eventsOf, type FileChange, intermediateLocation, sourceLocation } from './file-event.js';

/** Tools for publishing changes. */
export interface PublishContext {
  readonly adaptor: Pick<Adaptor, 'adaptorUuid' | 'publish' | 'published' | 'log' | 'reportError'>;
  readonly state: MonitoringState;
  readonly tools: CopyTools;
}

/** Changes of one folder. */
interface FolderChanges {
  readonly path: SourcePath;
  /** Name of the folder in the state. */
  readonly folder: string;
  readonly deletesRecords: boolean;
  readonly changes: readonly FileChange[];
}

/** Publishes changes in batches, regardless of their folder. */
export interface ChangePublisher {
  /**
   * Resolves with the changes that were published and recorded. The next scan finds the other changes again.
   *
   * @throws StorageFault when the intermediate folder is away
   */
  publish(batch: FolderChanges): Promise<readonly FileChange[]>;
}

/** Creates or removes the intermediate copy. @throws StorageFault */
const moveIntermediate = async (path: SourcePath, { action, file }: FileChange, tools: CopyTools): Promise<void> => {
  const target = intermediateLocation(path, file);
  const base = path.baseIntermediateUri;
  if (target === undefined || base === undefined) return;
  if (action === 'DELETED') await tools.storages.of(target).remove(target, base, 'ANY');
  else
    await copyFile({ from: sourceLocation(path, file), within: [path.uri], to: target, base, replaced: 'ANY' }, tools);
};

export const createChangePublisher = ({ adaptor, state, tools }: PublishContext): ChangePublisher => {
  const { adaptorUuid } = adaptor;
  /** Unusable paths that were reported, so that each is reported once. */
  const reported = new Set<string>();
  const maxReported = 10_000;

  const reportUnusable = async (path: string, message: string): Promise<void> => {
    if (reported.has(path)) return;
    if (reported.size < maxReported) reported.add(path);
    adaptor.log.error({ path }, message);
    await adaptor.reportError({ level: 'ERROR', kind: 'DATA', message });
  };

  /** The events of a change; undefined when it cannot be published now. */
  const prepare = async (batch: FolderChanges, change: FileChange): Promise<readonly OutgoingEvent[] | undefined> => {
    try {
      await moveIntermediate(batch.path, change, tools);
      return eventsOf(batch.path, change, { adaptorUuid, deletesRecords: batch.deletesRecords });
    } catch (error) {
      if (
        error instanceof UriFault ||
        (error instanceof StorageFault && ['UNFIT', 'BLOCKED', 'DENIED'].includes(error.kind))
      ) {
        await reportUnusable(`${batch.folder} ${change.file.path}`, error.message);
        return undefined;
      }
      // the next scan finds a file again that disappeared or is changing
      if (error instanceof StorageFault && error.kind !== 'AWAY') return undefined;
      throw error;
    }
  };

  const publishBatch = async (batch: FolderChanges): Promise<readonly FileChange[]> => {
    const prepared: { readonly change: FileChange; readonly events: readonly OutgoingEvent[] }[] = [];
    let failure: unknown;
    for (const change of batch.changes) {
      try {
        const events = await prepare(batch, change);
        if (events !== undefined) prepared.push({ change, events });
      } catch (error) {
        failure = error;
        break;
      }
    }
    if (prepared.length > 0) {
      state.note(
        prepared.map(({ change: { action, file }, events }) => ({
          folder: batch.folder,
          file,
          kind: action === 'DELETED' ? 'GONE' : 'PRESENT',
          events: events.length,
        })),
        adaptor.published,
      );
      // all publications start in one turn, so that the journal writes them together
      await Promise.all(prepared.flatMap(({ events }) => events.map((event) => adaptor.publish(event))));
      state.settle();
    }
    const changes = prepared.map(({ change }) => change);
    if (failure !== undefined) throw new PartlyPublished(changes, failure);
    return changes;
  };

  let last: Promise<unknown> = Promise.resolve();
  return {
    publish: (batch) => {
      const result = last.then(() => publishBatch(batch));
      last = result.catch(() => undefined);
      return result;
    },
  };
};

/** The intermediate folder became unavailable after some changes had been published. */
export class PartlyPublished extends Error {
  override readonly name = 'PartlyPublished';
  constructor(
    readonly changes: readonly FileChange[],
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

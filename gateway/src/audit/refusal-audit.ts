import { logChanges, type Change, type Database } from '@fds/database';
import type { Closable, Log } from '@fds/service';

/** An access that was refused. */
export interface Refusal {
  /** Person or adaptor; undefined where the caller is not known. */
  readonly actorUuid?: string | undefined;
  /** Method of the request. */
  readonly action: string;
  /** Path below `/api`, or of another door. */
  readonly resource: string;
  readonly code: string;
  /** What was refused, without secrets. */
  readonly detail: string;
  /** Where the request came from. */
  readonly address: string;
}

/**
 * Writes refused accesses to the change log. The first of a kind is there within a second; its repetitions are counted and follow as one entry
 * when the minute ends, as does everything beyond the bound, so that nobody fills the log by being refused.
 */
export interface RefusalAudit extends Closable {
  /** Never fails and never waits. */
  record(refusal: Refusal): void;
}

export interface RefusalAuditOptions {
  readonly database: Database;
  readonly log: Log;
  readonly now: () => Date;
  /** Different refusals written in a minute at most. Default 100. */
  readonly maxKinds?: number;
  /** How often entries are written. Default a second. */
  readonly flushMs?: number;
}

const refusedAccessType = 'RefusedAccess';
const windowMs = 60_000;
const zoneOfPath = /^\/zones\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/|$)/;

const keyOf = ({ actorUuid, action, resource, code, detail, address }: Refusal): string =>
  [actorUuid ?? address, action, resource, code, detail].join(' ');

const toChange = ({ actorUuid, resource, ...data }: Refusal, count: number): Change => {
  const zoneUuid = zoneOfPath.exec(resource)?.[1];
  return {
    action: 'POST',
    resourceType: refusedAccessType,
    resource,
    ...(zoneUuid === undefined ? {} : { zoneUuid }),
    ...(actorUuid === undefined ? {} : { actorUuid }),
    data: { ...data, count },
  };
};

const others: Refusal = {
  action: 'ALL',
  resource: '/',
  code: 'OTHERS',
  detail: 'more kinds than are written in a minute',
  address: '',
};

export const openRefusalAudit = (options: RefusalAuditOptions): RefusalAudit => {
  const { database, log, now, maxKinds = 100, flushMs = 1_000 } = options;
  const seen = new Map<string, { readonly refusal: Refusal; repeated: number }>();
  let beyond = 0;
  let windowEndsMs = 0;
  let pending: Change[] = [];
  let writing: Promise<void> = Promise.resolve();

  const endWindow = (): void => {
    for (const { refusal, repeated } of seen.values()) if (repeated > 0) pending.push(toChange(refusal, repeated));
    if (beyond > 0) pending.push(toChange(others, beyond));
    seen.clear();
    beyond = 0;
  };
  const write = async (changes: readonly Change[]): Promise<void> => {
    try {
      await logChanges(database.pool, changes);
    } catch (error) {
      log.warn({ err: error, entries: changes.length }, 'refused accesses could not be written to the change log');
    }
  };
  const flush = (): void => {
    if (now().getTime() >= windowEndsMs) endWindow();
    if (pending.length === 0) return;
    const changes = pending;
    pending = [];
    writing = writing.then(() => write(changes));
  };
  const timer = setInterval(flush, flushMs);
  timer.unref();

  return {
    record: (refusal) => {
      if (seen.size === 0) windowEndsMs = now().getTime() + windowMs;
      const key = keyOf(refusal);
      const known = seen.get(key);
      if (known !== undefined) known.repeated += 1;
      else if (seen.size >= maxKinds) beyond += 1;
      else {
        seen.set(key, { refusal, repeated: 0 });
        pending.push(toChange(refusal, 1));
      }
    },
    close: async () => {
      clearInterval(timer);
      windowEndsMs = 0;
      flush();
      await writing;
    },
  };
};

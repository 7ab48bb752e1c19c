import {
  acknowledged,
  assigned,
  checkedForTimeout,
  closed,
  createSender,
  meetSender,
  metReceiver,
  nextToSend,
  receive,
  sent,
  startPosition,
  type Ack,
  type DownDataEvent,
  type Hello,
  type Link,
  type Position,
  type UpDataEvent,
} from '@fds/adaptor-protocol';
import { parseJson, type JsonObject } from '@fds/json';
import type { Random } from '@fds/testing';
import type { MeshClock } from './mesh-clock.js';
import { createReportedRows } from './reported-rows.js';
import type { MeshAdaptorPlan } from './mesh-scenario.js';

/** An entry of the adaptor's sequence: a data event, or the report of a link. */
type JournalEntry = { readonly event: UpDataEvent } | { readonly link: Link };

/** A message from an adaptor to the server. */
export type UpMessage =
  | ({ readonly kind: 'DATA'; readonly epoch: string; readonly sequence: number } & JournalEntry)
  | { readonly kind: 'ACK'; readonly ack: Ack }
  | { readonly kind: 'HELLO'; readonly hello: Hello }
  | { readonly kind: 'LINK'; readonly link: Link };

/** A message from the server to an adaptor. */
export type DownMessage =
  | { readonly kind: 'DATA'; readonly epoch: string; readonly sequence: number; readonly data: DownDataEvent }
  | { readonly kind: 'ACK'; readonly ack: Ack }
  | { readonly kind: 'HELLO'; readonly hello: Hello };

/** An adaptor with its source, as a mesh has it: keeps a journal, applies, reports. */
export interface MeshAdaptor {
  readonly uuid: string;
  readonly rows: ReadonlyMap<number, JsonObject>;
  /** Is nothing left to send or to report? */
  readonly idle: boolean;
  connect(): void;
  disconnect(): void;
  take(message: DownMessage): void;
  set(id: number, property: string, value: string): void;
  /** As `set`, but the event is unreadable. */
  garble(id: number, property: string, value: string): void;
  delete(id: number): void;
  /** A message that was applied and not stored arrives again. */
  crash(): void;
  tick(): void;
}

export interface MeshAdaptorOptions {
  readonly uuid: string;
  readonly plan: MeshAdaptorPlan;
  readonly clock: MeshClock;
  readonly random: Random;
  readonly newUuid: () => string;
  readonly send: (message: UpMessage) => void;
}

const storeAfterMs = 10;
const scanEveryMs = 60;

export const createMeshAdaptor = (options: MeshAdaptorOptions): MeshAdaptor => {
  const { uuid, plan, clock, random, newUuid, send } = options;
  const rows = new Map<number, JsonObject>();
  /** The state of the scan, as JSON text. */
  const scanned = new Map<number, string>();
  /** The values that it last read or wrote. A scan has not reported others yet. */
  const bases = new Map<number, JsonObject>();
  /** By record, the position before the first message whose values it kept out until its next report. */
  const keptSince = new Map<number, Position>();
  const reportedRows = createReportedRows(rows);
  const journal: JournalEntry[] = [];
  const epoch = newUuid();
  let sender = createSender({ epoch, acked: 0, last: 0 });
  /** On disk. */
  let stored: Position = startPosition;
  /** Reports that are stored with the next position. */
  const links: Link[] = [];
  let taken: Position = startPosition;
  let begun = 0;
  let connected = false;
  let greeted = false;
  let waitingReports = 0;
  let lastReportMs = 0;
  let scanWaits = false;
  let life = 0;

  const pump = (): void => {
    const range = connected ? nextToSend(sender) : undefined;
    if (range === undefined) return;
    for (let sequence = range.from; sequence <= range.to; sequence += 1) {
      const entry = journal[sequence - 1];
      if (entry !== undefined) send({ kind: 'DATA', epoch, sequence, ...entry });
    }
    sender = sent(sender, range.to, clock.nowMs);
  };
  const append = (...entries: readonly JournalEntry[]): void => {
    journal.push(...entries);
    sender = assigned(sender, journal.length);
    pump();
  };
  const publish = (
    event: Pick<UpDataEvent, 'action' | 'json' | 'drKey'>,
    origin?: string,
    appliedBefore: Position = stored,
  ): void => {
    const { epoch: seenEpoch } = stored;
    const applied = appliedBefore.epoch === seenEpoch ? Math.min(appliedBefore.sequence, stored.sequence) : 0;
    append({
      event: {
        domain: 'Customer',
        version: 1,
        transactionUuid: newUuid(),
        createTime: clock.nowMs,
        ...(origin === undefined ? {} : { originTransactionUuid: origin }),
        ...(plan.tells === 'NOTHING' ? {} : { seen: { epoch: seenEpoch ?? epoch, applied, begun } }),
        ...event,
      },
    });
  };
  /** Position and links are on disk together. */
  const store = (position: Position): void => {
    stored = position;
    const reported = links.splice(0);
    if (plan.links === 'ON_UP_LINK') for (const link of reported) send({ kind: 'LINK', link });
    else if (reported.length > 0) append(...reported.map((link) => ({ link })));
    if (position.epoch !== null && connected) {
      send({ kind: 'ACK', ack: { epoch: position.epoch, upto: position.sequence } });
    }
  };

  const rowText = (id: number): string => JSON.stringify(rows.get(id) ?? null);
  const report = (
    id: number,
    row: JsonObject | undefined,
    names: readonly string[],
    { origin, appliedBefore }: { readonly origin?: string; readonly appliedBefore?: Position } = {},
  ): void => {
    if (row === undefined) {
      publish({ action: 'DELETE', drKey: { id } }, origin, appliedBefore);
      return;
    }
    const told = new Set(['id', ...(plan.extent === 'WHOLE' ? Object.keys(row) : []), ...names]);
    const json = Object.fromEntries([...told].map((name) => [name, row[name] ?? null]));
    publish({ action: 'PUT', json }, origin, appliedBefore);
  };
  /** Values that were read first are reported first. */
  const reportLater = (delayMs: number, task: () => void): void => {
    lastReportMs = Math.max(lastReportMs, clock.nowMs + delayMs);
    waitingReports += 1;
    clock.after(lastReportMs - clock.nowMs, () => {
      waitingReports -= 1;
      task();
    });
  };
  const scan = (): void => {
    scanWaits = false;
    for (const id of new Set([...rows.keys(), ...scanned.keys()])) {
      const text = rowText(id);
      const before = scanned.get(id) ?? 'null';
      if (text === before) continue;
      const kept = keptSince.get(id);
      const appliedBefore = kept?.epoch === stored.epoch && kept.sequence < stored.sequence ? kept : stored;
      keptSince.delete(id);
      bases.set(id, { ...rows.get(id) });
      const old = JSON.parse(before) as JsonObject | null;
      // a removed property is reported, too: absent would mean unchanged
      const names = new Set([...Object.keys(rows.get(id) ?? {}), ...Object.keys(old ?? {})]);
      const changed = [...names].filter((name) => rows.get(id)?.[name] !== old?.[name]);
      scanned.set(id, text);
      // read now, written a little later
      const row = rows.get(id);
      reportLater(random.below(20), () => report(id, row, changed, { appliedBefore }));
    }
  };
  /** As `scan`, for an adaptor that compares. */
  const compare = (): void => {
    scanWaits = false;
    const appliedBefore = stored;
    for (const id of reportedRows.ids()) {
      const names = reportedRows.differing(id);
      const row = rows.get(id);
      if (names.length === 0 && (row !== undefined || !reportedRows.has(id))) continue;
      const tell = (): void => {
        // a property that it kept against a message does not count as seen
        const kept = reportedRows.reported(id, row, names);
        const sequence = Math.min(appliedBefore.sequence, (kept ?? Number.POSITIVE_INFINITY) - 1);
        report(id, row, names, { appliedBefore: { ...appliedBefore, sequence } });
      };
      // only `seen` can tell that a row was read before a message was acknowledged
      if (plan.tells === 'NOTHING') tell();
      else reportLater(random.below(20), tell);
    }
  };
  const scanSoon = (): void => {
    if (scanWaits) return;
    scanWaits = true;
    clock.after(1 + random.below(scanEveryMs), plan.reports === 'COMPARES' ? compare : scan);
  };
  const changed = (id: number, names: readonly string[]): void => {
    if (plan.reports === 'SCAN' || plan.reports === 'COMPARES') scanSoon();
    else report(id, rows.get(id), names);
  };

  const written = (name: string, value: JsonObject[string]): JsonObject[string] =>
    typeof value === 'string' && plan.capitalises.includes(name) ? value.toUpperCase() : value;
  const merge = (id: number, members: JsonObject): readonly string[] => {
    const row = { ...(rows.get(id) ?? { id }) };
    const rewritten: string[] = [];
    for (const [name, value] of Object.entries(members)) {
      row[name] = written(name, value);
      if (row[name] !== value) rewritten.push(name);
    }
    rows.set(id, row);
    return rewritten;
  };

  /** Applies a message for an adaptor that compares. */
  const applyComparing = (id: number, data: DownDataEvent, sequence: number): void => {
    const link = { domain: 'Customer', version: 1, drUuid: data.drUuid, drKey: { id } };
    const json = parseJson(data.jsonData) as JsonObject;
    const news = data.changed ?? Object.keys(json);
    const isKept =
      data.action === 'DELETE' ? reportedRows.keepsRow(id, sequence) : reportedRows.keepsDeletion(id, news, sequence);
    if (isKept) {
      scanSoon();
      return;
    }
    if (data.action === 'DELETE') {
      rows.delete(id);
      reportedRows.forget(id);
      links.push({ action: 'UNLINK', ...link });
      return;
    }
    const names = news.filter((name) => !reportedRows.keeps(id, name, sequence));
    const rewritten = merge(id, Object.fromEntries(names.map((name) => [name, json[name] ?? null])));
    reportedRows.applied(id, ['id', ...names]);
    if (data.action === 'POST') links.push({ action: 'LINK', ...link });
    if (reportedRows.differing(id).length > 0) scanSoon();
    if (rewritten.length === 0) return;
    reportLater(random.below(8), () => {
      if (rows.has(id)) report(id, rows.get(id), rewritten, { origin: data.transactionUuid });
    });
  };

  const apply = (data: DownDataEvent, sequence: number): void => {
    const [id] = parseJson(data.drKey) as readonly number[];
    if (id === undefined) throw new TypeError('a message without its key');
    if (plan.reports === 'COMPARES') {
      applyComparing(id, data, sequence);
      return;
    }
    const sentValues = parseJson(data.jsonData) as JsonObject;
    const { changed: news } = data;
    const isWritten = (name: string): boolean => plan.writes === 'ALL' || news === undefined || news.includes(name);
    const isUnreported = (name: string): boolean =>
      plan.reports === 'SCAN' && plan.writes === 'CHANGED' && rows.get(id)?.[name] !== bases.get(id)?.[name];
    const wanted = Object.entries(sentValues).filter(([name]) => isWritten(name));
    const json = Object.fromEntries(wanted.filter(([name]) => !isUnreported(name)));
    if (wanted.some(([name]) => isUnreported(name)) && !keptSince.has(id))
      keptSince.set(id, { ...taken, sequence: taken.sequence - 1 });
    let rewritten: readonly string[] = [];
    // the scan knows that there was a row, and will report its content, or its removal
    const before = { ...rows.get(id), ...(JSON.parse(scanned.get(id) ?? '{}') as JsonObject | null) };
    if (data.action === 'DELETE') rows.delete(id);
    else rewritten = merge(id, json);
    if (data.action === 'DELETE') bases.delete(id);
    else
      bases.set(id, {
        ...bases.get(id),
        ...Object.fromEntries(Object.keys(json).map((name) => [name, rows.get(id)?.[name] ?? null])),
      });
    if (scanned.has(id) || rows.has(id)) {
      const names = Object.keys({ ...before, ...rows.get(id) });
      scanned.set(id, JSON.stringify(Object.fromEntries(names.map((name) => [name, `as ${name} was`]))));
    }
    const link = { domain: 'Customer', version: 1, drUuid: data.drUuid, drKey: { id } };
    if (data.action === 'POST') links.push({ action: 'LINK', ...link });
    if (data.action === 'DELETE') links.push({ action: 'UNLINK', ...link });
    if (plan.reports === 'SCAN') scanSoon();
    // an adaptor that writes other values than it received reports them
    const names = plan.reports === 'ECHO' ? Object.keys(json) : rewritten;
    if (names.length === 0 && (plan.reports !== 'ECHO' || data.action !== 'DELETE')) return;
    reportLater(random.below(8), () => {
      const row = rows.get(id);
      const told = names.filter((name) => row?.[name] !== undefined);
      report(id, row, told, { origin: data.transactionUuid });
    });
  };

  const takeData = (message: Extract<DownMessage, { readonly kind: 'DATA' }>): void => {
    const reception = receive(taken, message);
    if (reception === 'DUPLICATE') store(stored);
    if (reception === 'GAP') hello();
    if (reception !== 'APPLY') return;
    taken = { epoch: message.epoch, sequence: message.sequence };
    begun = message.sequence;
    apply(message.data, message.sequence);
    const position = taken;
    const lifetime = life;
    clock.after(random.below(storeAfterMs), () => {
      if (lifetime === life && position.epoch === stored.epoch && position.sequence > stored.sequence) store(position);
    });
  };
  const hello = (): void =>
    send({
      kind: 'HELLO',
      hello: { epoch: stored.epoch, applied: stored.sequence, sendEpoch: epoch, sent: journal.length },
    });

  return {
    uuid,
    rows,
    get idle() {
      return sender.acked === journal.length && waitingReports === 0 && !scanWaits;
    },
    connect: () => {
      connected = true;
      greeted = false;
      hello();
    },
    disconnect: () => {
      connected = false;
      sender = closed(sender);
    },
    take: (message) => {
      if (!connected) return;
      if (message.kind === 'DATA') takeData(message);
      if (message.kind === 'ACK') {
        sender = acknowledged(sender, message.ack, clock.nowMs);
        pump();
      }
      if (message.kind === 'HELLO') {
        greeted = true;
        const met = meetSender(stored, message.hello);
        if (met !== stored) {
          store(met);
          taken = met;
          begun = met.sequence;
        }
        sender = metReceiver(sender, message.hello, clock.nowMs);
        pump();
      }
    },
    set: (id, property, value) => {
      merge(id, { [property]: value });
      changed(id, [property]);
    },
    garble: (id, property, value) => {
      merge(id, { [property]: value });
      publish({ action: 'UPSERT' as UpDataEvent['action'], json: { ...rows.get(id) } });
    },
    delete: (id) => {
      if (!rows.delete(id)) return;
      changed(id, []);
    },
    crash: () => {
      life += 1;
      links.length = 0;
      taken = stored;
      sender = closed(sender);
    },
    tick: () => {
      if (connected && !greeted) hello();
      sender = checkedForTimeout(sender, clock.nowMs);
      pump();
    },
  };
};

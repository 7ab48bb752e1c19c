import { carriedEvents, checkEvent, parseTopic, type DownDataEvent, type UpDataEvent } from '@fds/adaptor-protocol';
import { readPublication, type Frame } from '../../programs/ledger/mqtt-frames.js';
import type { ContactProperty } from './contact-database.js';

/** The messages about records on the wires of all adaptors. */
export interface WireNotes {
  /** Reads a packet of an adaptor's wire. */
  see(database: number, frame: Frame): void;
  /** Transactions by which a database reported the value. */
  reportsOf(database: number, id: number, property: ContactProperty, value: string): ReadonlySet<string>;
  /** Transactions by which a database reported a deletion from a moment of the process clock on. */
  deletionsOf(database: number, id: number, sinceMs: number): ReadonlySet<string>;
  /** Did the service send a database the value as a new one? */
  isSentOn(id: number, property: ContactProperty, value: string): boolean;
  /** Was a database sent a DELETE from a moment of the process clock on? */
  isSentDeletion(database: number, id: number, sinceMs: number): boolean;
  /** The uuids under which the service knows the record of a key, also former ones. */
  recordsOf(id: number): ReadonlySet<string>;
  /** Milliseconds since the last data event on any wire. */
  quietMs(): number;
  /** The messages about a record, in the order in which they passed. */
  trace(id: number): readonly string[];
}

const add = <K, V>(sets: Map<K, Set<V>>, key: K, value: V): void => {
  const set = sets.get(key) ?? new Set<V>();
  sets.set(key, set.add(value));
};

export const watchWires = (): WireNotes => {
  const reports = new Map<string, Set<string>>();
  const deletions = new Map<string, { readonly transactionUuid: string; readonly atMs: number }[]>();
  const sentOn = new Set<string>();
  const lastSentDeletion = new Map<string, number>();
  const records = new Map<number, Set<string>>();
  const idOfRecord = new Map<string, number>();
  const traces = new Map<number, string[]>();
  const startedMs = performance.now();
  let lastMs = startedMs;
  const nameOf = (...parts: readonly (string | number)[]): string => parts.join('|');
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

  const note = (id: number, line: string): void => {
    const lines = traces.get(id) ?? [];
    traces.set(id, lines);
    lines.push(`${Math.round(performance.now() - startedMs)} ms ${line}`);
  };
  const seeUp = (database: number, sequence: number | undefined, event: UpDataEvent): void => {
    const json =
      event.json ??
      (event.jsonData === undefined ? {} : (JSON.parse(event.jsonData) as NonNullable<UpDataEvent['json']>));
    const key = json['id'] ?? event.drKey?.['id'];
    const id = key === undefined ? idOfRecord.get(event.drUuid ?? '') : Number(key);
    if (id === undefined) return;
    lastMs = performance.now();
    const { action, transactionUuid, seen } = event;
    note(
      id,
      `up ${database} #${sequence} ${action} ${JSON.stringify(json)} seen ${JSON.stringify(seen)} ${transactionUuid}`,
    );
    if (action === 'DELETE') {
      const earlier = deletions.get(nameOf(database, id)) ?? [];
      deletions.set(nameOf(database, id), [...earlier, { transactionUuid, atMs: lastMs }]);
    }
    for (const [property, value] of Object.entries(json))
      add(reports, nameOf(database, id, property, textOf(value)), transactionUuid);
  };
  const seeDown = (database: number, sequence: number | undefined, event: DownDataEvent): void => {
    lastMs = performance.now();
    const [key] = JSON.parse(event.drKey) as readonly unknown[];
    const id = Number(key);
    add(records, id, event.drUuid);
    idOfRecord.set(event.drUuid, id);
    const { action, jsonData, changed, transactionUuid } = event;
    if (action === 'DELETE') lastSentDeletion.set(nameOf(database, id), lastMs);
    const json = JSON.parse(jsonData) as Readonly<Record<string, unknown>>;
    for (const property of changed ?? []) sentOn.add(nameOf(id, property, textOf(json[property])));
    note(id, `down ${database} #${sequence} ${action} ${jsonData} changed ${changed?.join(',')} ${transactionUuid}`);
  };

  return {
    see: (database, frame) => {
      const publication = readPublication(frame);
      const channel = publication === undefined ? undefined : parseTopic(publication.topic)?.channel;
      if (publication === undefined || (channel !== 'up/data' && channel !== 'down/data')) return;
      const carried = carriedEvents(publication.payload);
      if (!carried.ok) return;
      for (const { envelope, numbering } of carried.value) {
        const message = envelope.ok ? checkEvent(channel, envelope.value) : envelope;
        if (!message.ok || message.value.type !== 'fds.data.v1') continue;
        if (channel === 'up/data') seeUp(database, numbering?.sequence, message.value.data as UpDataEvent);
        else seeDown(database, numbering?.sequence, message.value.data as DownDataEvent);
      }
    },
    reportsOf: (database, id, property, value) => reports.get(nameOf(database, id, property, value)) ?? new Set(),
    deletionsOf: (database, id, sinceMs) => {
      const ofRecord = deletions.get(nameOf(database, id)) ?? [];
      return new Set(ofRecord.filter(({ atMs }) => atMs >= sinceMs).map(({ transactionUuid }) => transactionUuid));
    },
    isSentOn: (id, property, value) => sentOn.has(nameOf(id, property, value)),
    isSentDeletion: (database, id, sinceMs) => (lastSentDeletion.get(nameOf(database, id)) ?? -Infinity) >= sinceMs,
    recordsOf: (id) => records.get(id) ?? new Set<string>(),
    quietMs: () => performance.now() - lastMs,
    trace: (id) => traces.get(id) ?? [],
  };
};

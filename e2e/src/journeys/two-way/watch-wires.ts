import { carriedEvents, checkEvent, parseTopic, type DownDataEvent, type UpDataEvent } from '@fds/adaptor-protocol';
import { readPublication, type Frame } from '../../faults/wire/mqtt-frames.js';
import type { ContactProperty } from './contact-database.js';

/** The messages about records on the wires of all adaptors. */
export interface WireNotes {
  /** Reads a packet of an adaptor's wire. */
  see(database: number, frame: Frame): void;
  /** Transactions by which a database reported the value; undefined property: a deletion. */
  reportsOf(
    database: number,
    id: number,
    property: ContactProperty | undefined,
    value: string | undefined,
  ): ReadonlySet<string>;
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
  const records = new Map<number, Set<string>>();
  const idOfRecord = new Map<string, number>();
  const traces = new Map<number, string[]>();
  const startedMs = performance.now();
  let lastMs = startedMs;
  const nameOf = (database: number, id: number, property: string | undefined, value: string | undefined): string =>
    [database, id, property, value].join('|');

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
    if (action === 'DELETE') add(reports, nameOf(database, id, undefined, undefined), transactionUuid);
    for (const [property, value] of Object.entries(json))
      add(
        reports,
        nameOf(database, id, property, typeof value === 'string' ? value : JSON.stringify(value)),
        transactionUuid,
      );
  };
  const seeDown = (database: number, sequence: number | undefined, event: DownDataEvent): void => {
    lastMs = performance.now();
    const [key] = JSON.parse(event.drKey) as readonly unknown[];
    const id = Number(key);
    add(records, id, event.drUuid);
    idOfRecord.set(event.drUuid, id);
    const { action, jsonData, changed, transactionUuid } = event;
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
    reportsOf: (database, id, property, value) =>
      reports.get(nameOf(database, id, property, value)) ?? new Set<string>(),
    recordsOf: (id) => records.get(id) ?? new Set<string>(),
    quietMs: () => performance.now() - lastMs,
    trace: (id) => traces.get(id) ?? [],
  };
};

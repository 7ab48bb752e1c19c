import type Database from 'libsql';

/** An incoming message that is kept in the journal until it can be applied. */
export interface WaitingEntry {
  readonly sequence: number;
  /** The messages of a group are attempted in order. */
  readonly group: string;
  /** Its own message group, and the key of its record: later messages with one of these names wait behind it. None has a line break. */
  readonly names: readonly string[];
  /** `<domain>:<version>` of the message. */
  readonly domain: string;
  /** The resource that the message waits for; null: it waits for an earlier message of its group. */
  readonly waitsFor: string | null;
  /** Size of the message in the journal. */
  readonly bytes: number;
}

/** An entry with its message. */
export interface WaitingMessage extends WaitingEntry {
  readonly body: string;
}

/** Waiting messages of the sequence space that the journal receives. */
export interface WaitingTable {
  /** All entries in the order of their numbers, without their messages. */
  list(): readonly WaitingEntry[];
  /** The message with this number; undefined when it does not wait. */
  read(sequence: number): string | undefined;
  /** To be called in a transaction. An entry that exists is replaced. */
  add(messages: readonly WaitingMessage[]): void;
  remove(sequences: readonly number[]): void;
  clear(): void;
}

/** Table of the waiting messages. */
export const waitingTables = `
  create table if not exists waiting (
    sequence integer primary key, message_group text not null, domain text not null, waits_for text,
    bytes integer not null, body text not null);
`;

/** The table must exist. */
export const openWaitingTable = (database: Database.Database): WaitingTable => {
  const select = database.prepare(`
    select sequence, message_group as "groups", domain, waits_for as "waitsFor", bytes from waiting order by sequence`);
  const selectBody = database.prepare('select body from waiting where sequence = ?');
  const insert = database.prepare('insert or replace into waiting values (?, ?, ?, ?, ?, ?)');
  const remove = database.prepare('delete from waiting where sequence = ?');
  const removeAll = database.prepare('delete from waiting');
  return {
    list: () =>
      (select.all() as (Omit<WaitingEntry, 'group' | 'names'> & { readonly groups: string })[]).map(
        ({ groups, ...entry }) => {
          const [group = '', ...names] = groups.split('\n');
          // an entry of an earlier version has its group only
          return { ...entry, group, names: names.length === 0 ? [group] : names };
        },
      ),
    read: (sequence) => (selectBody.get(sequence) as { readonly body: string } | undefined)?.body,
    add: (messages) => {
      for (const { sequence, group, names, domain, waitsFor, bytes, body } of messages)
        insert.run(sequence, [group, ...names].join('\n'), domain, waitsFor, bytes, body);
    },
    remove: (sequences) => {
      for (const sequence of sequences) remove.run(sequence);
    },
    clear: () => {
      removeAll.run();
    },
  };
};

import type { Channel } from '@fds/adaptor-protocol';

/**
 * A moment at which a process dies. It is identified by what the process sends to the database, to the bus, or to its
 * journal on disk. A transaction is identified by a statement in it.
 */
export type Moment =
  | { readonly at: 'TRANSACTION'; readonly containing: string; readonly when: 'BEFORE' | 'AFTER' }
  | { readonly at: 'STATEMENT'; readonly named: string; readonly when: 'BEFORE' | 'AFTER' }
  | { readonly at: 'PUBLICATION'; readonly channel: Channel; readonly when: 'BEFORE' | 'AFTER' }
  | { readonly at: 'JOURNAL'; readonly containing: string; readonly when: 'BEFORE' | 'AFTER' };

export type Victim = 'server' | 'source' | 'destination';

interface CrashPoint {
  readonly victim: Victim;
  readonly moment: Moment;
  /** Latest occurrence at which the process may die, counted from 1: a process may send a hello only once. */
  readonly latest: number;
}

const often = 3;

const transaction = (containing: string, when: 'BEFORE' | 'AFTER', latest = often): CrashPoint => ({
  victim: 'server',
  moment: { at: 'TRANSACTION', containing, when },
  latest,
});
const statement = (named: string, when: 'BEFORE' | 'AFTER', latest = often): CrashPoint => ({
  victim: 'server',
  moment: { at: 'STATEMENT', named, when },
  latest,
});
const publication = (victim: Victim, channel: Channel, when: 'BEFORE' | 'AFTER', latest = often): CrashPoint => ({
  victim,
  moment: { at: 'PUBLICATION', channel, when },
  latest,
});
const journal = (victim: 'source' | 'destination', containing: string, when: 'BEFORE' | 'AFTER'): CrashPoint => ({
  victim,
  moment: { at: 'JOURNAL', containing, when },
  latest: often,
});

/** All crash points of the suite, in the order of an event's life. */
export const crashPoints = {
  // the adaptor of the source: from `publish` to the acknowledgement
  'before the journal has the event': journal('source', 'insert into outgoing', 'BEFORE'),
  'after the journal has the event': journal('source', 'insert into outgoing', 'AFTER'),
  'after the event was sent': publication('source', 'up/data', 'AFTER'),
  'before the journal deletes acknowledged events': journal('source', 'delete from outgoing', 'BEFORE'),
  'after the journal deleted acknowledged events': journal('source', 'delete from outgoing', 'AFTER'),
  "after the source's hello": publication('source', 'up/hello', 'AFTER', 1),
  // the server: ingest
  'before the hello is stored': transaction('records-save-channel', 'BEFORE', 2),
  'before the hello is answered': publication('server', 'down/hello', 'BEFORE', 2),
  'before the commit': transaction('records-advance-channels', 'BEFORE'),
  'after the commit, before the acknowledgement': transaction('records-advance-channels', 'AFTER'),
  'after the acknowledgement': publication('server', 'down/ack', 'AFTER'),
  // the server: the relay
  'before the event is relayed': publication('server', 'down/data', 'BEFORE'),
  'after the event was relayed': publication('server', 'down/data', 'AFTER'),
  'before the acknowledgement of a destination is written': statement('records-save-acks', 'BEFORE'),
  'after the acknowledgement of a destination was written': statement('records-save-acks', 'AFTER'),
  'after a lease was taken': statement('records-acquire-leases', 'AFTER', 2),
  // the adaptor of the destination: from the effect to the acknowledgement
  'after the effect, before its position is stored': journal('destination', 'update state set receive_epoch', 'BEFORE'),
  'after the position is stored, before it is acknowledged': journal(
    'destination',
    'update state set receive_epoch',
    'AFTER',
  ),
  'after the destination acknowledged': publication('destination', 'up/ack', 'AFTER'),
  'before a link is reported': publication('destination', 'up/data', 'BEFORE'),
  'after a link was reported': publication('destination', 'up/data', 'AFTER'),
} as const satisfies Readonly<Record<string, CrashPoint>>;

export type CrashPointName = keyof typeof crashPoints;

export const crashPointNames = Object.keys(crashPoints) as CrashPointName[];

/** The crash points of a victim. */
export const crashPointsOf = (victim: Victim): CrashPointName[] =>
  crashPointNames.filter((name) => crashPoints[name].victim === victim);

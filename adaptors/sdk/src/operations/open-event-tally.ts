import type { AdaptorMetrics } from '@fds/adaptor-protocol';
import type { EventCounts } from '../journal/event-history.js';

/** Keeps the history of data events up to date, and returns it. */
export interface EventTally {
  /** Totals, and with `since` the history from that minute (since 1970) on, as much as fits into a message. */
  metrics(since?: number): AdaptorMetrics;
  /** The counts that were not reported yet; undefined when nothing has happened since. */
  unreported(): AdaptorMetrics | undefined;
  /** Tallies for the last time. */
  close(): void;
}

export interface EventTallyOptions {
  readonly counts: EventCounts;
  readonly nowMs: () => number;
  /** IANA name. */
  readonly timeZone: string;
}

const minuteMs = 60_000;
/** Divides a minute, so that what happens between two looks belongs to one minute. */
const tallyEveryMs = 5_000;
const mostMinutes = 2_000;

/** Counting costs the events nothing: the counters that the journal has anyway are read every five seconds. */
export const openEventTally = ({ counts, nowMs, timeZone }: EventTallyOptions): EventTally => {
  let lookedAtMs = nowMs();
  let reported = { until: Math.floor(lookedAtMs / minuteMs), ...counts.totals() };
  let timer: NodeJS.Timeout;

  const tally = (): number => {
    counts.tally(Math.floor(lookedAtMs / minuteMs));
    lookedAtMs = nowMs();
    return Math.floor(lookedAtMs / minuteMs);
  };
  const lookAgain = (): void => {
    timer = setTimeout(
      () => {
        tally();
        lookAgain();
      },
      tallyEveryMs - (nowMs() % tallyEveryMs),
    );
    timer.unref();
  };
  lookAgain();

  const metrics = (since?: number): AdaptorMetrics => {
    const present = tally();
    const totals = counts.totals();
    if (since === undefined) return { ...totals, timeZone };
    const found = counts.minutes(since, mostMinutes + 1);
    const minutes = found.slice(0, mostMinutes);
    const more = found.length > mostMinutes;
    const until = more ? (minutes.at(-1)?.minute ?? since) + 1 : Math.max(since, present);
    if (!more) reported = { until, ...totals };
    return { ...totals, timeZone, history: { from: since, until, minutes, more } };
  };

  return {
    metrics,
    unreported: () => {
      const { sent, received } = counts.totals();
      return sent === reported.sent && received === reported.received ? undefined : metrics(reported.until);
    },
    close: () => {
      clearTimeout(timer);
      tally();
    },
  };
};

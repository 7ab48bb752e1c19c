import type { AdaptorMetrics } from '@fds/adaptor-protocol';
import type { EventCounts } from '../journal/event-history.js';

/** Keeps the history of data events up to date, and returns it. */
export interface EventTally {
  /** Totals and, with `since`, the history from that minute (since 1970) on, as much as fits into a message. */
  metrics(since?: number): AdaptorMetrics;
  /** Counts that were not reported yet; undefined when there are none. */
  unreported(): AdaptorMetrics | undefined;
  /** Adds the last counts. */
  close(): void;
}

export interface EventTallyOptions {
  readonly counts: EventCounts;
  readonly nowMs: () => number;
  /** IANA name. */
  readonly timeZone: string;
}

const minuteMs = 60_000;
/** Divides a minute evenly, so that the events between two calls belong to one minute. */
const tallyEveryMs = 5_000;
const mostMinutes = 2_000;

/** Counting adds no work per event: every five seconds, the tally reads counters that the journal has anyway. */
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

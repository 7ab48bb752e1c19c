/** The end of a message of the server. */
type ReceivedOutcome = 'applied' | 'partly_applied' | 'refused' | 'unreadable';

/** The end of an attempt to publish an event. `issue`: the server reported that the event became a data issue. */
type SentOutcome = 'published' | 'not_published' | 'issue';

/** Most sources whose lag is kept. Further ones are not shown. */
const maxSources = 10_000;

/** Figures of an adaptor since its process began. */
export class AdaptorFigures {
  readonly received: Record<ReceivedOutcome, number> = { applied: 0, partly_applied: 0, refused: 0, unreadable: 0 };
  readonly sent: Record<SentOutcome, number> = { published: 0, not_published: 0, issue: 0 };
  retries = 0;
  /** Epoch milliseconds; undefined: there was no error. */
  lastErrorMs: number | undefined;
  readonly #readUntilMs = new Map<string, number | undefined>();

  constructor(private readonly nowMs: () => number) {}

  countReceived(outcome: ReceivedOutcome): void {
    this.received[outcome] += 1;
    if (outcome === 'refused' || outcome === 'unreadable') this.noteError();
  }

  countSent(outcome: SentOutcome): void {
    this.sent[outcome] += 1;
    if (outcome !== 'published') this.noteError();
  }

  noteError(): void {
    this.lastErrorMs = this.nowMs();
  }

  /**
   * Every change of a source up to a time is published.
   *
   * @param untilMs epoch milliseconds; undefined: the source is followed as it changes
   */
  caughtUp(source: string, untilMs: number | undefined): void {
    if (!this.#readUntilMs.has(source) && this.#readUntilMs.size >= maxSources) return;
    this.#readUntilMs.set(source, untilMs);
  }

  /** The configuration has changed: sources that it still has report again. */
  forgetSources(): void {
    this.#readUntilMs.clear();
  }

  /** Seconds for which the source that is furthest behind was not read; undefined: no source has reported. */
  get lagSeconds(): number | undefined {
    if (this.#readUntilMs.size === 0) return undefined;
    const nowMs = this.nowMs();
    let oldestMs = nowMs;
    for (const ms of this.#readUntilMs.values()) oldestMs = Math.min(oldestMs, ms ?? nowMs);
    return (nowMs - oldestMs) / 1000;
  }
}

import type { WaitingReport } from '@fds/adaptor-protocol';

/** Reports to the server which messages wait, as a whole each time. */
export interface WaitingReports {
  /** The waiting messages have changed: reports them soon. */
  changed(): void;
  /** A connection has begun: reports them again, as far as any wait. */
  connected(): void;
  close(): void;
}

export interface WaitingReportsOptions {
  /** The present report; undefined before the first hello. */
  readonly present: () => WaitingReport | undefined;
  /** Sends a report. A report that gets lost is sent again after the next connection. */
  readonly send: (report: WaitingReport) => void;
  readonly isConnected: () => boolean;
}

const everyMs = 300;
/** A long report is sent less often. */
const messagesOfMillisecond = 10;

export const createWaitingReports = ({ present, send, isConnected }: WaitingReportsOptions): WaitingReports => {
  let timer: NodeJS.Timeout | undefined;
  let size = 0;

  const report = (): void => {
    const found = present();
    if (found === undefined || !isConnected()) return;
    size = found.sequences.length;
    send(found);
  };
  const changed = (): void => {
    timer ??= setTimeout(
      () => {
        timer = undefined;
        report();
      },
      everyMs + size / messagesOfMillisecond,
    ).unref();
  };
  return {
    changed,
    connected: () => {
      if (size > 0 || (present()?.sequences.length ?? 0) > 0) report();
    },
    close: () => clearTimeout(timer),
  };
};

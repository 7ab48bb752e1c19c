/** Maximum number of issues in one acknowledgement (docs/protocols/adaptor-bus.md). */
const maxIssues = 256;

export interface RefusalAcks {
  /** Acknowledges the notice of an issue within 100 ms, together with others. */
  add(issueUuid: string): void;
  /** Sends the collected acknowledgements. */
  flush(): void;
}

/**
 * Collects acknowledgements of notices. If an acknowledgement does not reach the server, it is sent again when the
 * server repeats the notice.
 */
export const createRefusalAcks = (send: (issueUuids: readonly string[]) => void): RefusalAcks => {
  let taken: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (taken.length === 0) return;
    const issueUuids = taken;
    taken = [];
    send(issueUuids);
  };
  return {
    add: (issueUuid) => {
      taken.push(issueUuid);
      if (taken.length >= maxIssues) flush();
      else timer ??= setTimeout(flush, 100);
    },
    flush,
  };
};

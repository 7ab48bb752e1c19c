/** Most issues of one acknowledgement (docs/protocols/adaptor-bus.md). */
const maxIssues = 256;

export interface RefusalAcks {
  /** The notice of the issue was taken. It is acknowledged within 100 ms, together with others. */
  add(issueUuid: string): void;
  /** Acknowledges what was added. */
  flush(): void;
}

/** Gathers acknowledgements of notices. An acknowledgement that does not reach the server is sent again when the notice comes again. */
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

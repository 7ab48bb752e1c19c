import type { Log } from '@fds/service';

/** Logs wrong proofs of gateways, at most once in an interval, because any client can send one. */
export interface ProofAlarm {
  raise(requestId: string): void;
}

const defaultIntervalMs = 60_000;

export const createProofAlarm = (
  log: Pick<Log, 'error'>,
  now: () => Date = () => new Date(),
  intervalMs = defaultIntervalMs,
): ProofAlarm => {
  let loggedAtMs = -Infinity;
  let unlogged = 0;
  return {
    raise: (requestId) => {
      const nowMs = now().getTime();
      if (nowMs - loggedAtMs < intervalMs) {
        unlogged += 1;
        return;
      }
      log.error({ requestId, others: unlogged }, 'a gateway has another FDS_SECRET_KEY, or another clock');
      loggedAtMs = nowMs;
      unlogged = 0;
    },
  };
};

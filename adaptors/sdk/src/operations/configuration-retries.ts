import { ConfigurationError, type ConfigurationRetry } from '../handlers.js';

const waits: Readonly<
  Record<ConfigurationRetry, { readonly firstMs: number; readonly longestMs: number } | undefined>
> = {
  NEVER: undefined,
  SOON: { firstMs: 1_000, longestMs: 60_000 },
  RARELY: { firstMs: 30_000, longestMs: 600_000 },
};

/** Time to wait before the next attempt; it doubles each time. Undefined when another attempt makes no sense. */
export const waitBeforeRetry = (error: unknown, attempt: number): number | undefined => {
  const wait = error instanceof ConfigurationError ? waits[error.retry] : undefined;
  return wait === undefined ? undefined : Math.min(wait.longestMs, wait.firstMs * 2 ** Math.min(attempt, 20));
};

/** Tries a refused configuration again, after growing delays. */
export interface ConfigurationRetries {
  /** Plans the next attempt if the error requests one. */
  plan(error: unknown, attempt: () => Promise<void>): void;
  /** Cancels the attempts, because there is another configuration or the adaptor ends. */
  cancel(): void;
}

/** @param enqueue runs an attempt when no operation is running */
export const createConfigurationRetries = (enqueue: (attempt: () => Promise<void>) => void): ConfigurationRetries => {
  let timer: NodeJS.Timeout | undefined;
  let attempts = 0;
  return {
    plan: (error, attempt) => {
      const waitMs = waitBeforeRetry(error, attempts);
      if (waitMs === undefined) return;
      attempts += 1;
      timer = setTimeout(() => enqueue(attempt), waitMs);
      timer.unref();
    },
    cancel: () => {
      clearTimeout(timer);
      timer = undefined;
      attempts = 0;
    },
  };
};

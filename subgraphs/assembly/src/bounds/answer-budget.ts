/** Most memory, in bytes, that the answers of adaptors may take while requests are assembled. */
export interface AnswerLimits {
  /** Bytes of one adaptor for one request. */
  readonly maxAnswerBytes: number;
  /** Messages of one adaptor to one request. */
  readonly maxAnswerParts: number;
  /** Bytes of all adaptors for one request. */
  readonly maxRequestBytes: number;
  /** Bytes of all requests of one caller. */
  readonly maxCallerBytes: number;
  /** Bytes of all requests of the process. */
  readonly maxTotalBytes: number;
}

/** The bounds of answers that are counted. */
export type AnswerBound =
  'assembly_answer' | 'assembly_request' | 'assembly_caller' | 'assembly_total' | 'assembly_references';

/** The memory of one request. */
export interface RequestShare {
  readonly callerUuid: string;
  /** Takes memory for a part of an answer. @returns the bound that refuses it; then nothing is taken */
  take(bytes: number): AnswerBound | undefined;
  /** Largest number of bytes that were in use at once. */
  most(): number;
  /** Gives memory back before the request ends. */
  giveBack(bytes: number): void;
  /** Gives all memory back. Idempotent. */
  close(): void;
}

/** Counts the memory of answers, by request and caller. */
export interface AnswerBudget {
  readonly limits: AnswerLimits;
  open(callerUuid: string): RequestShare;
  /**
   * Waits until the caller and the process have room for this many bytes, or for as many as they may have at most. Also
   * resolves when the signal is aborted. Takes nothing.
   */
  untilRoom(callerUuid: string, bytes: number, signal: AbortSignal): Promise<void>;
}

export const defaultAnswerLimits: AnswerLimits = {
  maxAnswerBytes: 16 * 2 ** 20,
  maxAnswerParts: 2_000,
  maxRequestBytes: 32 * 2 ** 20,
  maxCallerBytes: 64 * 2 ** 20,
  maxTotalBytes: 128 * 2 ** 20,
};

export const createAnswerBudget = (limits: AnswerLimits): AnswerBudget => {
  const takenBy = new Map<string, number>();
  const waiting = new Set<() => void>();
  let total = 0;

  const add = (callerUuid: string, bytes: number): void => {
    total += bytes;
    const left = (takenBy.get(callerUuid) ?? 0) + bytes;
    if (left === 0) takenBy.delete(callerUuid);
    else takenBy.set(callerUuid, left);
    if (bytes < 0) for (const look of waiting) look();
  };

  const hasRoom = (callerUuid: string, bytes: number): boolean => {
    const taken = takenBy.get(callerUuid) ?? 0;
    return (
      (taken === 0 || taken + bytes <= limits.maxCallerBytes) && (total === 0 || total + bytes <= limits.maxTotalBytes)
    );
  };

  return {
    limits,
    untilRoom: (callerUuid, bytes, signal) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!signal.aborted && !hasRoom(callerUuid, bytes)) return;
          waiting.delete(look);
          signal.removeEventListener('abort', look);
          resolve();
        };
        signal.addEventListener('abort', look);
        waiting.add(look);
        look();
      }),
    open: (callerUuid) => {
      let taken = 0;
      let most = 0;
      const giveBack = (bytes: number): void => {
        taken -= bytes;
        add(callerUuid, -bytes);
      };
      return {
        callerUuid,
        take: (bytes) => {
          if (taken + bytes > limits.maxRequestBytes) return 'assembly_request';
          if ((takenBy.get(callerUuid) ?? 0) + bytes > limits.maxCallerBytes) return 'assembly_caller';
          if (total + bytes > limits.maxTotalBytes) return 'assembly_total';
          taken += bytes;
          most = Math.max(most, taken);
          add(callerUuid, bytes);
          return undefined;
        },
        most: () => most,
        giveBack,
        close: () => giveBack(taken),
      };
    },
  };
};

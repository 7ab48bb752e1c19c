/** Most memory that the answers of adaptors may take, in bytes, while requests are assembled. */
export interface AnswerLimits {
  /** Of one adaptor to one request. */
  readonly maxAnswerBytes: number;
  /** Messages of one adaptor to one request. */
  readonly maxAnswerParts: number;
  /** Of all adaptors to one request. */
  readonly maxRequestBytes: number;
  /** Of all requests of one caller. */
  readonly maxCallerBytes: number;
  /** Of all requests of the process. */
  readonly maxTotalBytes: number;
}

/** Bounds of answers, as they are counted. */
export type AnswerBound = 'assembly_answer' | 'assembly_request' | 'assembly_caller' | 'assembly_total';

/** The share of one request. */
export interface RequestShare {
  readonly callerUuid: string;
  /** Takes memory for a part of an answer. @returns the bound that refuses it; nothing is taken then */
  take(bytes: number): AnswerBound | undefined;
  /** Gives memory back before the request is over. */
  giveBack(bytes: number): void;
  /** Gives everything back. Idempotent. */
  close(): void;
}

/** Counts the memory that answers take, by request and caller. */
export interface AnswerBudget {
  readonly limits: AnswerLimits;
  open(callerUuid: string): RequestShare;
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
  let total = 0;

  const add = (callerUuid: string, bytes: number): void => {
    total += bytes;
    const left = (takenBy.get(callerUuid) ?? 0) + bytes;
    if (left === 0) takenBy.delete(callerUuid);
    else takenBy.set(callerUuid, left);
  };

  return {
    limits,
    open: (callerUuid) => {
      let taken = 0;
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
          add(callerUuid, bytes);
          return undefined;
        },
        giveBack,
        close: () => giveBack(taken),
      };
    },
  };
};

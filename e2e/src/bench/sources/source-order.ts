/** An adaptor that answers assembly requests with customers. */
export interface SourceAdaptor {
  /** Dotted names and their values, in the form of the SDK. */
  readonly properties: Readonly<Record<string, string>>;
  /** Wait before each answer; null: the adaptor never answers. */
  readonly delayMs: number | null;
}

/** Messages to the process of the adaptors: first OPEN, then any number of REPORT. */
export type SourceOrder =
  | {
      readonly kind: 'OPEN';
      readonly adaptors: readonly SourceAdaptor[];
      readonly domain: string;
      /** Each adaptor links the customers 0 to `customers` - 1. */
      readonly customers: number;
      /** Does each customer refer to the next one, as its `partner`? */
      readonly withPartners: boolean;
    }
  | { readonly kind: 'REPORT' };

export type SourceReport =
  | { readonly kind: 'OPENED' }
  | {
      readonly kind: 'ANSWERED';
      /**
       * For each customer id, the longest time of an adaptor since the last report, from the arrival of a request to
       * its answer.
       */
      readonly longestMs: Readonly<Record<string, number>>;
    };

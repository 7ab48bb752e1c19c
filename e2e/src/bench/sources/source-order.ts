/** An adaptor that answers assembly requests with customers. */
export interface SourceAdaptor {
  /** Dotted names to texts, as the SDK takes them. */
  readonly properties: Readonly<Record<string, string>>;
  /** Waits so long before each answer; null: never answers. */
  readonly delayMs: number | null;
}

/** Orders for the process of the adaptors: first OPEN, then REPORT any number of times. */
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
      /** By customer id: the longest time that an adaptor took since the last report, from a request's arrival to its answer. */
      readonly longestMs: Readonly<Record<string, number>>;
    };

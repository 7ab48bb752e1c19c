/** Where a receiver gets its messages. */
export type Reception =
  | {
      /** An adaptor made with the SDK, that applies every event at once. */
      readonly kind: 'ADAPTOR';
      /** Dotted names to texts, as the SDK takes them. */
      readonly properties: Readonly<Record<string, string>>;
    }
  | {
      /** A bare MQTT client with QoS 1. */
      readonly kind: 'SUBSCRIPTION';
      readonly url: string;
      readonly topic: string;
    };

/** What a receiver is told: first whence, then how many messages to report once they are all there. */
export type ReceiverOrder =
  { readonly kind: 'OPEN'; readonly reception: Reception } | { readonly kind: 'EXPECT'; readonly messages: number };

/** What it reports. */
export type ReceiverReport =
  | { readonly kind: 'OPENED' }
  | {
      readonly kind: 'RECEIVED';
      /** When each came, in order, by the machine's monotonic clock. */
      readonly atMs: readonly number[];
      /** JSON text of each, in order: the record of a data event, or the whole payload. */
      readonly bodies: readonly string[];
    };

/** The source of a receiver's messages. */
export type Reception =
  | {
      /** An adaptor of the SDK that applies every event at once. */
      readonly kind: 'ADAPTOR';
      /** Dotted names and their values, in the form of the SDK. */
      readonly properties: Readonly<Record<string, string>>;
    }
  | {
      /** A bare MQTT client with QoS 1. */
      readonly kind: 'SUBSCRIPTION';
      readonly url: string;
      readonly topic: string;
    };

/** Message to a receiver: first its source, then the number of messages after which it must report. */
export type ReceiverOrder =
  { readonly kind: 'OPEN'; readonly reception: Reception } | { readonly kind: 'EXPECT'; readonly messages: number };

/** Message of a receiver. */
export type ReceiverReport =
  | { readonly kind: 'OPENED' }
  | {
      readonly kind: 'RECEIVED';
      /** Arrival time of each message, in order, by the machine's monotonic clock. */
      readonly atMs: readonly number[];
      /** JSON text of each message, in order: the record of a data event, or the whole payload. */
      readonly bodies: readonly string[];
    };

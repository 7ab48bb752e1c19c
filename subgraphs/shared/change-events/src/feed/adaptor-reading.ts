/** An adaptor at one moment. */
export interface AdaptorReading {
  readonly adaptorUuid: string;
  readonly zoneUuid: string;
  readonly name: string;
  readonly state: string;
  readonly stateMessage: string | null;
  /** Messages that the adaptor has not acknowledged. */
  readonly queueLength: number;
  /** Data events that the adaptor sent, in each second since the reading before. */
  readonly eventsSentPerSecond: number;
  /** Data events that the adaptor acknowledged, in each second since the reading before. */
  readonly eventsReceivedPerSecond: number;
}

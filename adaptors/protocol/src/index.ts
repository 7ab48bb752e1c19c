export { batchFrameBytes, buildBatch } from './build-batch.js';
export { finish, finishedPrefix, type FinishedPrefix } from './channel/finished-prefix.js';
export {
  correlationOf,
  emptyHelloBook,
  heardAck,
  type HeardHello,
  type HelloBook,
  readHello,
  saidHello,
  type SpeakingOrder,
  type Standing,
  type Verdict,
} from './channel/hello-book.js';
export { nextMessages } from './channel/next-messages.js';
export { type Position, startPosition } from './channel/position.js';
export { meetSender, receive, type Reception } from './channel/receiver.js';
export {
  acknowledged,
  assigned,
  checkedForTimeout,
  closed,
  createSender,
  fits,
  maxResendAfterMs,
  metReceiver,
  nextToSend,
  reportedWaiting,
  resendAfterMs,
  type Sender,
  sent,
  sentMessages,
} from './channel/sender.js';
export { describeFaults, type Fault, type FaultCode, type Parsed } from './checks/fault.js';
export { findUnstorableText } from './checks/unstorable-text.js';
export {
  adaptorSource,
  type Attributes,
  buildEnvelope,
  type Envelope,
  parseEnvelope,
  serverSource,
} from './envelope.js';
export { emptyInstanceBook, heardInstance, type InstanceBook } from './instance-book.js';
export { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from './json/json-value.js';
export { parseJson } from './json/parse-json.js';
export { stringifyJson } from './json/stringify-json.js';
export { createLogRate, type LogRate } from './log-rate.js';
export {
  eventWindow,
  maxUnacknowledgedBytes,
  maxLogLength,
  maxPayloadBytes,
  receivedBatch,
  sentBatch,
  windowBytes,
  windowSize,
} from './limits.js';
export type { AnsweredRecord, AssemblyAnswer, AssemblyRequest, RequestedRecord } from './messages/assembly.js';
export type { BatchOffer } from './messages/batch-offer.js';
export { type CarriedEvent, carriedEvents } from './messages/carried-events.js';
export { batchType } from './messages/data-batch.js';
export {
  type DataAction,
  type DownDataEvent,
  type Link,
  type LinkReport,
  parseDrKey,
  parseJsonData,
  type SeenPosition,
  type UpDataEvent,
} from './messages/data-event.js';
export type { ChannelData, MessageType } from './messages/message-table.js';
export {
  buildMessage,
  checkEvent,
  checkMessage,
  type EventMessage,
  type Message,
  parseMessage,
} from './messages/message.js';
export type {
  AdaptorError,
  AdaptorHealth,
  AdaptorMetrics,
  AdaptorState,
  DiscoveredReport,
  DiscoveredVersion,
  DeletionLimit,
  DomainVersionKey,
  EventHistory,
  LogEntry,
  MinuteCount,
  Operation,
  OpsAnswer,
  OpsRequest,
  StatusReport,
  WaitingReport,
} from './messages/operations.js';
export type { Refusal, RefusalAck, RefusalCause, Superseded } from './messages/notices.js';
export type { Ack, Hello, MessageIdentity } from './messages/positions.js';
export { type SalvagedAnswer, salvageAnswer } from './messages/salvage-answer.js';
export { type Numbering, parseNumbering } from './parse-numbering.js';
export { formatSequence, parseSequence } from './sequence-text.js';
export {
  type Channel,
  channels,
  clientIdOf,
  downTreeOf,
  parseTopic,
  type Role,
  roleOf,
  roles,
  ownedKinds,
  ownerSubscriptions,
  serverSubscriptions,
  subscriptionsOf,
  type Topic,
  topicOf,
  upTreeOf,
} from './topics.js';
export { openTracer } from './tracing/open-tracer.js';
export type { Span, SpanOptions, Tracer } from './tracing/tracer.js';

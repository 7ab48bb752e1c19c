export { callerGone, callerSignal } from './caller-signal.js';
export { createFairQueue, QueueFull, type FairQueue, type FairQueueOptions } from './create-fair-queue.js';
export { createGiveWay, inTurns, type GiveWay } from './create-give-way.js';
export { createKeyQueues, type KeyQueues } from './create-key-queues.js';
export { createUuids } from './create-uuids.js';
export { findUnknownSettings, type UnknownSetting } from './find-unknown-settings.js';
export { createDrain, type Drain } from './drain.js';
export { createLifetime, type Closable, type Lifetime } from './lifetime.js';
export { addressKind, loadSettings, settings, SettingsError, type Setting, type TextRule } from './load-settings.js';
export { createLog, type Log } from './log.js';
export { noteRequest } from './note-request.js';
export { once } from './once.js';
export { logFormats, openLog } from './open-log.js';
export { renderSettingsPage } from './render-settings-page.js';
export { repeatEvery, type RepeatOptions } from './repeat-every.js';
export { newRequestId, requestIdOf } from './request-id.js';
export { runUntilSignal, type RunOptions } from './run-until-signal.js';
export { Secret } from './secret.js';
export {
  currentSpan,
  inSpan,
  isTracing,
  recordedTraceparent,
  startSpan,
  traceIdOf,
  useTracer,
  type Span,
  type SpanOptions,
} from './tracing.js';

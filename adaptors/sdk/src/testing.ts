export type { Ack, Hello, OpsAnswer, OpsRequest, StatusReport } from '@fds/adaptor-protocol';
export type { Check } from './conformance/check.js';
export { handlerChecks } from './conformance/handler-checks.js';
export type { Heard, Hub, TakenEvent } from './conformance/hub.js';
export { type HubOptions, openHub } from './conformance/open-hub.js';
export type { ConformanceOptions } from './conformance/conformance-options.js';
export { CheckFailure, CheckSkipped, openWorld, type World } from './conformance/open-world.js';
export {
  type CheckResult,
  conformanceChecks,
  type ConformanceRun,
  conforms,
  runConformance,
} from './conformance/run-conformance.js';
export type { Subject } from './conformance/start-subject.js';

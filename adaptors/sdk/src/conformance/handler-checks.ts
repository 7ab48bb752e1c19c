import { conformanceChecks } from './run-conformance.js';

/**
 * Checks whose outcome only the SDK decides, whatever the handlers do: it answers or refuses before it calls them. The
 * tests of the SDK run them with its skeleton.
 */
const decidedBySdk: ReadonlySet<string> = new Set([
  'variables',
  'secret-variable',
  'unknown-messages',
  'clock',
  'takeover',
  'duplicate',
  'gap',
  'batch-duplicate',
  'batch-frame',
  'crash-starting',
  'crash-hello',
  'crash-first-acknowledgement',
]);

/** The checks that can fail because of the handlers of an adaptor on this SDK. */
export const handlerChecks: readonly string[] = conformanceChecks
  .map(({ id }) => id)
  .filter((id) => !decidedBySdk.has(id));

import type { JsonObject } from '@fds/json';
import type { FaultList } from '@fds/resource-rules';
import { requireFitting } from '../adaptors/capabilities.js';
import { secretMask } from './secret-mask.js';
import { secretsNamed } from './secret-names.js';
import { noSecrets, splitSecrets, withSecrets, type Secrets } from './split-secrets.js';

export interface ReadSecretMetadata {
  /** With masks; null when none was given. */
  readonly metadata: JsonObject | null;
  readonly secrets: Secrets;
}

/**
 * Splits given metadata into metadata with masks, and secrets.
 *
 * @param pointer of the metadata in the input
 * @param kept the effective secrets, which masks stand for
 */
export const readSecretMetadata = (
  pointer: string,
  given: JsonObject | null,
  secretProperties: readonly string[],
  kept: Secrets,
  faults: FaultList,
): ReadSecretMetadata => {
  if (given === null) return { metadata: null, secrets: noSecrets };
  const { metadata, secrets, unknown } = splitSecrets(given, secretsNamed(secretProperties), kept);
  for (const at of unknown) {
    const what = `"${secretMask}" keeps a secret, and no secret exists at ${at}`;
    faults.add(`${pointer}${at}`, 'NOTHING_TO_KEEP', what);
  }
  // with the secrets that masks stand for, because the adaptor gets those
  requireFitting(pointer, withSecrets(metadata, secrets), faults);
  return { metadata, secrets };
};

import { stringifyJson, type JsonObject } from '@fds/json';
import type { FaultList } from '@fds/errors';
import { requireFitting } from '../adaptors/capabilities.js';
import { movedSecrets } from './moved-secrets.js';
import { secretMask } from './secret-mask.js';
import { secretsNamed } from './secret-names.js';
import { noSecrets, splitSecrets, withSecrets, type Secrets } from './split-secrets.js';

export interface ReadSecretMetadata {
  /** With masks; null when none was given. */
  readonly metadata: JsonObject | null;
  readonly secrets: Secrets;
}

/** Metadata that is longer cannot fit with the secrets that its masks stand for, and is not looked through. */
const maxGivenCharacters = 128 * 1024;

/** Nothing is in effect: a mask stands for nothing. */
export const noMetadata: ReadSecretMetadata = { metadata: null, secrets: noSecrets };

/**
 * Splits given metadata into metadata with masks, and secrets. A mask keeps a secret that is sent to the receiver that it
 * was sent to before.
 *
 * @param pointer of the metadata in the input
 * @param inEffect the metadata in effect, whose secrets masks stand for
 */
export const readSecretMetadata = (
  pointer: string,
  given: JsonObject | null,
  secretProperties: readonly string[],
  inEffect: ReadSecretMetadata,
  faults: FaultList,
): ReadSecretMetadata => {
  if (given === null) return { metadata: null, secrets: noSecrets };
  // a mask stands for text that is not much shorter
  if (stringifyJson(given).length > maxGivenCharacters) {
    requireFitting(pointer, given, faults);
    return { metadata: null, secrets: noSecrets };
  }
  const { metadata, secrets, unknown, kept } = splitSecrets(given, secretsNamed(secretProperties), inEffect.secrets);
  for (const at of unknown) {
    const what = `"${secretMask}" keeps a secret, and no secret exists at ${at}`;
    faults.add(`${pointer}${at}`, 'NOTHING_TO_KEEP', what);
  }
  // with the secrets that masks stand for, because the adaptor gets those
  const revealed = withSecrets(metadata, secrets);
  if (!requireFitting(pointer, revealed, faults)) return { metadata, secrets };
  const before = { metadata: withSecrets(inEffect.metadata ?? {}, inEffect.secrets), secrets: inEffect.secrets };
  for (const at of movedSecrets(before, { metadata: revealed, secrets }, kept)) {
    const what = `"${secretMask}" keeps a secret for the scheme, host and port that it is sent to, and they change: send it again`;
    faults.add(`${pointer}${at}`, 'NOTHING_TO_KEEP', what);
  }
  return { metadata, secrets };
};

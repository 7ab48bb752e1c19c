import { ConfigurationError, type ConfigurationRetry } from '@fds/adaptor-sdk';

/** A fault of a configuration with its place. The text contains places and names, but never values of secrets. */
export interface ConfigurationFault {
  /** JSON pointer into the metadata. */
  readonly place: string;
  readonly message: string;
  /**
   * NEVER: only another configuration helps. RARELY: a person must change the source. SOON: the fault may be temporary.
   */
  readonly retry: ConfigurationRetry;
}

const token = (key: string | number): string => String(key).replaceAll('~', '~0').replaceAll('/', '~1');

/** JSON pointer of a path. */
export const pointerOf = (...path: readonly (string | number)[]): string =>
  path.map((key) => `/${token(key)}`).join('');

const maxShown = 20;

const retryOf = (faults: readonly ConfigurationFault[]): ConfigurationRetry => {
  const retries = new Set(faults.map(({ retry }) => retry));
  if (retries.has('NEVER')) return 'NEVER';
  return retries.has('RARELY') ? 'RARELY' : 'SOON';
};

/** One error that names every fault with its place. */
export const toConfigurationError = (faults: readonly ConfigurationFault[]): ConfigurationError => {
  const shown = faults.slice(0, maxShown).map(({ place, message }) => `${place}: ${message}`);
  if (faults.length > maxShown) shown.push(`and ${faults.length - maxShown} more`);
  return new ConfigurationError(`the configuration is not valid: ${shown.join('; ')}`, { retry: retryOf(faults) });
};

/** A signed token, with or without its signature. */
const token = /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}/;
/** Credentials of a header. */
const credentials = /\b(?:Basic|Bearer) +[\w~+/.-]{16,}/i;

/**
 * Finds secrets in the output of a process.
 *
 * @param secrets exact values that must not be in the output, by name
 * @returns the names of the secrets that were found, in order; also a name for a token or a header of credentials
 */
export const printedSecrets = (output: string, secrets: Readonly<Record<string, string>>): string[] => [
  ...Object.entries(secrets)
    .filter(([, secret]) => secret !== '' && [secret, encodeURIComponent(secret)].some((text) => output.includes(text)))
    .map(([name]) => name),
  ...(token.test(output) ? ['a token'] : []),
  ...(credentials.test(output) ? ['a header of credentials'] : []),
];

/** @throws Error that names the secrets in the output of a process */
export const requireNonePrinted = (output: string, secrets: Readonly<Record<string, string>>): void => {
  const found = printedSecrets(output, secrets);
  if (found.length > 0) throw new Error(`the process printed ${found.join(', ')}`);
};

/** A signed token, whole or without its signature. */
const token = /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}/;
/** Credentials of a header. */
const credentials = /\b(?:Basic|Bearer) +[\w~+/.-]{16,}/i;

/**
 * Secrets in what a process printed.
 *
 * @param secrets what must not be there, as it stands, by the name to tell it by
 * @returns the names of those that are, in order; a name where a token or a header of credentials is
 */
export const printedSecrets = (output: string, secrets: Readonly<Record<string, string>>): string[] => [
  ...Object.entries(secrets)
    .filter(([, secret]) => secret !== '' && [secret, encodeURIComponent(secret)].some((text) => output.includes(text)))
    .map(([name]) => name),
  ...(token.test(output) ? ['a token'] : []),
  ...(credentials.test(output) ? ['a header of credentials'] : []),
];

/** @throws Error that names the secrets in what a process printed */
export const requireNonePrinted = (output: string, secrets: Readonly<Record<string, string>>): void => {
  const found = printedSecrets(output, secrets);
  if (found.length > 0) throw new Error(`the process printed ${found.join(', ')}`);
};

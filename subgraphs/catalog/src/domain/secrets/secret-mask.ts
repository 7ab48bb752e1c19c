/**
 * Replaces a secret in every answer, event and log. A client that writes it back keeps the secret
 * (docs/reference/adaptor-operations.md#secrets-in-metadata).
 */
export const secretMask = '***';

/**
 * Replaces a secret in every answer, event and log. A client that writes it back keeps the secret
 * (docs/specification/adaptors.md#secrets).
 */
export const secretMask = '***';

/**
 * Stands for a secret in every answer, event and log; written back it keeps the secret
 * (docs/specification/adaptors.md#secrets).
 */
export const secretMask = '***';

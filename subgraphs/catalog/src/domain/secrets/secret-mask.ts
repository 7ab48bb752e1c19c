/** Stands for a secret in every answer, event and log; written back it keeps the secret (decisions, section 10). */
export const secretMask = '***';

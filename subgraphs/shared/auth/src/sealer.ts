/** Encrypts secrets at rest with the deployment's key (AES-256-GCM). */
export interface Sealer {
  seal(text: string): string;
  /** @throws Error when the text was sealed with another key or changed */
  unseal(sealed: string): string;
}

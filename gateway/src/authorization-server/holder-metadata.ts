import type { Client } from 'oidc-provider';

/** Client metadata of our own: uuid of the person or adaptor, the `sub` of its tokens. */
export const holderUuidMetadata = 'holder_uuid';
/** Client metadata of our own: scope of its tokens. */
export const holderScopeMetadata = 'holder_scope';

/** Scope of an adaptor's tokens. */
export const adaptorScope = 'adaptor';
/** Scope of a person's tokens. */
export const personScope = 'api';

/** A member of a client's metadata, where it is text. */
export const metadataText = (client: Client | undefined, name: string): string | undefined => {
  const value = client?.[name];
  return typeof value === 'string' ? value : undefined;
};

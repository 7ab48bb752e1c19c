import type { Client } from 'oidc-provider';

/** Our own client metadata: uuid of the person or adaptor, which is the `sub` of its tokens. */
export const holderUuidMetadata = 'holder_uuid';
/** Our own client metadata: scope of the client's tokens. */
export const holderScopeMetadata = 'holder_scope';

/** Scope of an adaptor's tokens. */
export const adaptorScope = 'adaptor';
/** Scope of a person's tokens. */
export const personScope = 'api';

/** A member of a client's metadata; undefined when it is not text. */
export const metadataText = (client: Client | undefined, name: string): string | undefined => {
  const value = client?.[name];
  return typeof value === 'string' ? value : undefined;
};

// The package's entry point only adds a warning about Node versions, printed when it is loaded. The module behind it is
// the same.
declare module 'oidc-provider/lib/provider.js' {
  export { Provider } from 'oidc-provider';
}

declare module 'oidc-provider/lib/helpers/als.js' {
  import type { AsyncLocalStorage } from 'node:async_hooks';
  const store: AsyncLocalStorage<unknown>;
  export default store;
}

declare module 'oidc-provider/lib/helpers/errors.js' {
  import type { errors } from 'oidc-provider';
  export const CustomOIDCProviderError: typeof errors.CustomOIDCProviderError;
  export const InvalidGrant: typeof errors.InvalidGrant;
  export const InvalidRequest: typeof errors.InvalidRequest;
  export const InvalidScope: typeof errors.InvalidScope;
  export const InvalidTarget: typeof errors.InvalidTarget;
}

declare module 'oidc-provider/lib/helpers/interaction_policy/index.js' {
  import type { interactionPolicy } from 'oidc-provider';
  export const base: typeof interactionPolicy.base;
  export const Check: typeof interactionPolicy.Check;
}

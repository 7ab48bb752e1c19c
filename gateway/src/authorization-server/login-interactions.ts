import type { Configuration } from 'oidc-provider';
import { base, Check } from 'oidc-provider/lib/helpers/interaction_policy/index.js';
import { loginPath } from './login-routes.js';

const createPolicy = () => {
  const policy = base();
  policy
    .get('login')
    ?.checks.add(
      new Check(
        'account_gone',
        'the person of the session may not sign in now',
        'login_required',
        ({ oidc: { session, account, result } }) =>
          session?.accountId !== undefined && account === undefined && result?.login === undefined,
      ),
    );
  return policy;
};

/** Decides when a person must sign in, and on which page. */
export const interactionsOfLogin: Configuration['interactions'] = {
  policy: createPolicy(),
  url: (_ctx, { uid }) => loginPath(uid),
};

import type { Configuration } from 'oidc-provider';
import { base, Check } from 'oidc-provider/lib/helpers/interaction_policy/index.js';
import { commandLineClientId } from './login-client.js';
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
  // any program of the computer can ask for a code of the command line: the person confirms it with the password
  policy.get('consent')?.checks.remove('native_client_prompt');
  policy
    .get('login')
    ?.checks.add(
      new Check(
        'command_line',
        'a sign-in of the command line is confirmed with the password',
        'login_required',
        ({ oidc: { client, result } }) => client?.clientId === commandLineClientId && result?.login === undefined,
      ),
    );
  return policy;
};

/** Decides when a person must sign in, and on which page. */
export const interactionsOfLogin: Configuration['interactions'] = {
  policy: createPolicy(),
  url: (_ctx, { uid }) => loginPath(uid),
};

import { escapeHtml, renderPage, type Page } from '../pages/index.js';

/** The result of the previous attempt. */
export interface LoginFault {
  readonly text: string;
  /** The name that was typed. */
  readonly username: string;
}

/**
 * The form that people sign in with.
 *
 * @param action address of the form
 * @param formTargets further origins that a sign-in may redirect to, in addition to our own
 */
export const renderLoginPage = (action: string, formTargets: readonly string[], fault?: LoginFault): Page => {
  const described = fault === undefined ? '' : ' aria-invalid="true" aria-describedby="fault"';
  const focus = (isFirst: boolean): string => (isFirst ? ' autofocus' : '');
  return renderPage(
    fault === undefined ? 'Sign in' : 'Sign in: not accepted',
    `${fault === undefined ? '' : `<p class="fault" id="fault" role="alert">${escapeHtml(fault.text)}</p>\n`}<form method="post" action="${escapeHtml(action)}">
<label for="username">User name</label>
<input id="username" name="username" type="text" value="${escapeHtml(fault?.username ?? '')}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="256" required${focus(fault === undefined)}${described}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1024" required${focus(fault !== undefined)}${described}>
<button type="submit">Sign in</button>
</form>`,
    ["'self'", ...formTargets],
  );
};

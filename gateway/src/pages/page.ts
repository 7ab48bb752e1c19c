import { createHash } from 'node:crypto';

/** An HTML page for people. It loads nothing and runs no script. */
export interface Page {
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #57606a; --ground: #f6f8fa; --card: #fff; --line: #8c959f;
  --strong: #0b57d0; --on-strong: #fff; --fault: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --dim: #9da7b1; --ground: #0d1117; --card: #161b22;
  --line: #6e7681; --strong: #9ecbff; --on-strong: #0d1117; --fault: #ff9d96; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--ground);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 24rem; padding: 2rem; background: var(--card); border-radius: .75rem; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.2; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
.name { color: var(--dim); margin: 0 0 .25rem; }
label { display: block; font-weight: 600; margin: 1rem 0 .25rem; }
input { width: 100%; padding: .625rem; font: inherit; color: inherit; background: transparent;
  border: 1px solid var(--line); border-radius: .375rem; }
button { width: 100%; margin-top: 1.5rem; padding: .625rem; font: inherit; font-weight: 600; cursor: pointer;
  color: var(--on-strong); background: var(--strong); border: 0; border-radius: .375rem; }
:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px; }
.fault { color: var(--fault); font-weight: 600; }
`;

const styleHash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for use between tags and in quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');

/**
 * @param body HTML; text from outside in it must be escaped with `escapeHtml`
 * @param formTargets origins that its form may submit or redirect to; default: the page has no form
 */
export const renderPage = (title: string, body: string, formTargets: readonly string[] = []): Page => ({
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      `style-src ${styleHash}`,
      `form-action ${formTargets.length === 0 ? "'none'" : formTargets.join(' ')}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
  },
  html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Federated Data Service</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="name">Federated Data Service</p>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`,
});

/** A page with a single message. */
export const renderMessagePage = (title: string, message: string): Page =>
  renderPage(title, `<p role="status">${escapeHtml(message)}</p>`);

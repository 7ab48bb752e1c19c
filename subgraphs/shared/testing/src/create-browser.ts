/** The pages that a person's browser shows. */
export interface Shown {
  readonly status: number;
  /** Address of the last request. */
  readonly url: URL;
  readonly headers: Headers;
  readonly text: string;
}

interface Cookie {
  readonly value: string;
  readonly path: string;
}

/** A browser as far as signing in needs one: it keeps cookies by host and path, follows redirects and submits forms. */
export interface Browser {
  /** @param stopAt redirects to addresses that start like this are shown, not followed */
  visit(url: string, stopAt?: string): Promise<Shown>;
  /** Submits the first form of the page. */
  submit(page: Shown, fields: Readonly<Record<string, string>>, stopAt?: string): Promise<Shown>;
}

const maxRedirects = 20;

export const createBrowser = (): Browser => {
  const cookies = new Map<string, Cookie>();

  const cookieHeader = (url: URL): string =>
    [...cookies]
      .filter(([key, { path }]) => key.startsWith(`${url.host} `) && url.pathname.startsWith(path))
      .map(([key, { value }]) => `${key.split(' ')[1]}=${value}`)
      .join('; ');

  const keep = (url: URL, headers: Headers): void => {
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      const path = attributes.find((attribute) => attribute.toLowerCase().startsWith('path='))?.slice(5) ?? '/';
      const key = `${url.host} ${name} ${path}`;
      if (value === '' || attributes.some((attribute) => attribute === 'Max-Age=0')) cookies.delete(key);
      else cookies.set(key, { value, path });
    }
  };

  const send = async (start: URL, form: URLSearchParams | undefined, stopAt: string | undefined): Promise<Shown> => {
    let url = start;
    let body = form;
    for (let redirects = 0; redirects < maxRedirects; redirects += 1) {
      const answer = await fetch(url, {
        method: body === undefined ? 'GET' : 'POST',
        redirect: 'manual',
        headers: { accept: 'text/html,application/xhtml+xml', cookie: cookieHeader(url) },
        ...(body === undefined ? {} : { body }),
      });
      keep(url, answer.headers);
      const location = answer.headers.get('location');
      const text = await answer.text();
      if (location === null || (stopAt !== undefined && location.startsWith(stopAt)))
        return { status: answer.status, url, headers: answer.headers, text };
      url = new URL(location, url);
      body = undefined;
    }
    throw new Error('too many redirects');
  };

  return {
    visit: (url, stopAt) => send(new URL(url), undefined, stopAt),
    submit: ({ url, text }, fields, stopAt) => {
      const action = /<form[^>]* action="([^"]*)"/.exec(text)?.[1];
      if (action === undefined) throw new Error(`no form in:\n${text}`);
      return send(new URL(action, url), new URLSearchParams(fields), stopAt);
    },
  };
};

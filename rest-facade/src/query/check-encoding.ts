import type { Reading } from '../causes/reading.js';

const isEncoded = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

/**
 * Finds parameters that are not percent-encoded UTF-8. The HTTP server would pass them on unchanged.
 *
 * @param target path and query string as sent
 * @param reading receives code MALFORMED
 */
export const checkEncoding = (target: string, reading: Pick<Reading, 'add'>): void => {
  const cut = target.indexOf('?');
  if (cut < 0 || !target.includes('%', cut)) return;
  for (const parameter of target.slice(cut + 1).split('&')) {
    if (isEncoded(parameter)) continue;
    const name = parameter.split('=', 1)[0] ?? parameter;
    reading.add({ pointer: name, code: 'MALFORMED', detail: `${name} is not percent-encoded UTF-8` });
  }
};

const masks: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]+/gi, '$1 ***'],
  [
    // after a pointer such as /databases/crm/dataSource.password: stands a sentence, not the value
    /(?<!\/[\w.-]{0,60}(?=[\w.-]{1,60}: ))\b([\w.-]{0,40}(?:password|passwd|pwd|secret|token|api[_-]?key|authorization))(["']?\s*[=:]\s*)(?:"[^"]*"|'[^']*'|[^\s,;&}]+)/gi,
    '$1$2***',
  ],
  [/([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@:]{1,200}(?::[^\s/@]{0,200})?@/gi, '$1***@'],
];

/** Text from an adaptor for the log. Words that look like credentials are masked. Adaptors are asked not to send any. */
export const maskedText = (text: string): string =>
  masks.reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), text);

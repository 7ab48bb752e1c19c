const placeholder = /\{(\w+)\}/g;

/** Names of the placeholders of a path. */
export const placeholdersOf = (path: string): string[] =>
  [...path.matchAll(placeholder)].map(([, name]) => name as string);

/** Compiles a path with `{placeholders}` to a function that inserts percent-encoded values. */
export const compilePath = (path: string): ((values: Readonly<Record<string, unknown>>) => string) => {
  const [head = '', ...rest] = path.split('{');
  const pieces = rest.map((piece) => piece.split('}') as [name: string, tail: string]);
  return (values) =>
    pieces.reduce((text, [name, tail]) => `${text}${encodeURIComponent(String(values[name]))}${tail}`, head);
};

/** The path of a request's target, without its query string. */
export const pathOf = (target: string): string => target.split('?', 1)[0] ?? target;

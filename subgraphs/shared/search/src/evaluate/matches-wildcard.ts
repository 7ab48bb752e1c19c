type Part = { readonly text: string } | { readonly wild: '*' | '?' };
type Want = { readonly literal: string } | { readonly wild: '*' | '?' };

/** Does the whole text fit the pieces? Goes back to the last `*` only, so time is at most length times pieces. */
export const matchesWildcard = (text: string, parts: readonly Part[]): boolean => {
  const characters = Array.from(text);
  const wanted = parts.flatMap((part): Want[] =>
    'text' in part ? Array.from(part.text, (literal) => ({ literal })) : [part],
  );
  let at = 0;
  let next = 0;
  let star = -1;
  let resume = 0;
  while (at < characters.length) {
    const want = wanted[next];
    if (want !== undefined && 'wild' in want && want.wild === '*') {
      star = next;
      resume = at;
      next += 1;
    } else if (want !== undefined && ('wild' in want || want.literal === characters[at])) {
      at += 1;
      next += 1;
    } else if (star >= 0) {
      next = star + 1;
      resume += 1;
      at = resume;
    } else return false;
  }
  return wanted.slice(next).every((want) => 'wild' in want && want.wild === '*');
};

/** Deeper text is refused: recursion over the value would exhaust the stack. */
export const maxDepth = 1000;

/** The position behind a string, or the end of a text in which it does not end. */
export const afterString = (text: string, openingQuote: number): number => {
  let at = openingQuote + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    at = quote + 1;
    if (backslashes % 2 === 0) return at;
  }
};

/** Do objects and arrays nest deeper than `maxDepth`? Text that is not JSON gets either answer. */
export const nestsDeeper = (text: string): boolean => {
  if (text.length <= maxDepth) return false;
  let depth = 0;
  for (let at = 0; at < text.length;) {
    const character = text[at];
    if (character === '"') {
      at = afterString(text, at);
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth > maxDepth) return true;
    at += 1;
  }
  return false;
};

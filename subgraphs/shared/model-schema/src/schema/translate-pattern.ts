/** Long names of general categories (ECMA-262, Unicode property escapes) that RE2 knows by their short ones only. */
const categories: Readonly<Record<string, string>> = {
  Letter: 'L',
  Uppercase_Letter: 'Lu',
  Lowercase_Letter: 'Ll',
  Titlecase_Letter: 'Lt',
  Modifier_Letter: 'Lm',
  Other_Letter: 'Lo',
  Mark: 'M',
  Combining_Mark: 'M',
  Nonspacing_Mark: 'Mn',
  Spacing_Mark: 'Mc',
  Enclosing_Mark: 'Me',
  Number: 'N',
  Decimal_Number: 'Nd',
  digit: 'Nd',
  Letter_Number: 'Nl',
  Other_Number: 'No',
  Punctuation: 'P',
  punct: 'P',
  Connector_Punctuation: 'Pc',
  Dash_Punctuation: 'Pd',
  Open_Punctuation: 'Ps',
  Close_Punctuation: 'Pe',
  Initial_Punctuation: 'Pi',
  Final_Punctuation: 'Pf',
  Other_Punctuation: 'Po',
  Symbol: 'S',
  Math_Symbol: 'Sm',
  Currency_Symbol: 'Sc',
  Modifier_Symbol: 'Sk',
  Other_Symbol: 'So',
  Separator: 'Z',
  Space_Separator: 'Zs',
  Line_Separator: 'Zl',
  Paragraph_Separator: 'Zp',
  Other: 'C',
  Control: 'Cc',
  cntrl: 'Cc',
  Format: 'Cf',
  Private_Use: 'Co',
};

/** White space and line ends of ECMA-262; RE2's `\s` is that of ASCII. */
const space =
  '\\t\\n\\v\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
/** Its complement, for use within a class. */
const noSpace =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

const token = /\\[pP]\{([^{}]*)\}|\\[^]|\[:\^?\w+:\]|\[\^?\]|[^]/gy;

const translateEscape = (text: string, inClass: boolean): string => {
  if (text === '\\s') return inClass ? space : `[${space}]`;
  if (text === '\\S') return inClass ? noSpace : `[^${space}]`;
  return text === '\\b' && inClass ? '\\x{8}' : text;
};

const translateProperty = (text: string, name: string): string => {
  const value = name.replace(/^(?:General_Category|gc|Script|sc)=/, '');
  return `${text.slice(0, 2)}{${Object.hasOwn(categories, value) ? categories[value] : value}}`;
};

/** Rewrites what ECMA-262 has and RE2 spells otherwise: white space, Unicode property escapes, `[\b]`. */
export const translatePattern = (source: string): string => {
  let inClass = false;
  return source.replace(token, (text, property: string | undefined) => {
    if (property !== undefined) return translateProperty(text, property);
    if (text.startsWith('\\')) return translateEscape(text, inClass);
    if (text === '[') inClass = true;
    else if (text === ']') inClass = false;
    return text;
  });
};

/** Patterns of driver messages that contain a value of the statement, with their replacements. */
const quoting: readonly (readonly [RegExp, string])[] = [
  // PostgreSQL: invalid input syntax for type uuid: "..."
  [/(invalid input (?:syntax|value) for [^:"]+): ".*"/gs, '$1'],
  [/value ".*" is out of range/gs, 'a value is out of range'],
  // MySQL: Duplicate entry '...' for key 'mail'; Incorrect integer value: '...' for column
  [/(Duplicate entry) '.*' (for key)/gs, '$1 $2'],
  [/((?:Incorrect|Truncated incorrect) [\w ]+ value): '.*'( for column|$)/gs, '$1$2'],
  // SQL Server: The duplicate key value is (...). Conversion failed when converting the nvarchar value '...' to
  [/ The duplicate key value is \(.*\)\.?/gs, ''],
  [/ Truncated value: '.*'\.?/gs, ''],
  [/(converting the \w+ value) '.*' (to)/gs, '$1 $2'],
];

const statement = /^(insert|update|delete|select|with|begin|commit|savepoint|merge|set|drop)\b/i;
const closing: Readonly<Record<string, string>> = { '"': '"', '`': '`', '[': ']' };

/** The text of the database without the statement that the query builder puts in front of it. */
const withoutStatement = (message: string): string => {
  if (!statement.test(message)) return message;
  let quote: string | undefined;
  for (let at = 0; at < message.length; at += 1) {
    const character = message[at] ?? '';
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
    } else if (Object.hasOwn(closing, character)) quote = closing[character];
    else if (message.startsWith(' - ', at)) return message.slice(at + 3);
  }
  return message;
};

/** The message of a database without the statement and without the values of the row. */
export const withoutValues = (message: string): string =>
  quoting.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), withoutStatement(message));

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

/** The message of a database without the values of the row. */
export const withoutValues = (message: string): string =>
  quoting.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message);

/** Control characters of a name could command the terminal. */
export const plainText = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\uFFFD');

/** Prints a table with columns of equal width. Without a row it prints the header only. */
export const printRows = (
  print: (line: string) => void,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): void => {
  const lines = [header, ...rows.map((row) => row.map(plainText))];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines)
    print(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
};

/** The `sh` blocks of a page, in order and without the indentation of their list. */
export const shellBlocks = (page: string): readonly string[] =>
  [...page.matchAll(/^( *)```sh\n([\s\S]*?)^\1```$/gm)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );

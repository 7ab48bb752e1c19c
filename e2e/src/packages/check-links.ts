import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { readMarkdownPage } from '../pages/markdown-page.js';
import { repositoryFiles } from '../pages/repository-files.js';

/** Returns the relative links of a folder's pages that do not lead to a file or heading in the folder. */
export const checkLinks = (
  folder: string,
): { readonly pages: readonly string[]; readonly faults: readonly string[] } => {
  const pages = repositoryFiles(folder, ['md']);
  const read = (page: string) => readMarkdownPage(readFileSync(join(folder, page), 'utf8'));
  const isFault = (page: string, link: string): boolean => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : relative(folder, join(folder, dirname(page), decodeURI(path)));
    if (target.startsWith('..') || !existsSync(join(folder, target))) return true;
    return anchor !== undefined && target.endsWith('.md') && !read(target).anchors.has(anchor);
  };
  const faults = pages.flatMap((page) =>
    read(page)
      .links.filter((link) => !/^[a-z]+:/.test(link) && isFault(page, link))
      .map((link) => `${page}: ${link}`),
  );
  return { pages, faults };
};

import { dirname, join, relative } from 'node:path/posix';

/** A page on its way from the checkout into a package. Paths use slashes and are relative to the checkout or package. */
export interface MovingPage {
  readonly text: string;
  /** Path in the checkout. */
  readonly from: string;
  /** Path in the package. */
  readonly to: string;
  /** Files of the package: path in the checkout to path in the package. */
  readonly placed: ReadonlyMap<string, string>;
}

/** A code block, a code span, or a link with its text and target. */
const pattern = /^[ \t]*```[\s\S]*?^[ \t]*```|`[^`\n]*`|\[((?:`[^`\n]*`|[^\]`])*)\]\(([^)\s]+)\)/gm;

const isOutsideFiles = (target: string): boolean => target.startsWith('#') || /^[a-z][a-z+.-]*:/i.test(target);

/**
 * The page with links that are valid inside the package. A link to a file of the package leads to its new place. A link to
 * any other file becomes plain text. Code blocks and links to addresses and headings stay unchanged.
 */
export const rehomeLinks = ({ text, from, to, placed }: MovingPage): string =>
  text.replaceAll(pattern, (whole: string, label: string | undefined, target: string | undefined) => {
    if (label === undefined || target === undefined || isOutsideFiles(target)) return whole;
    const [path = '', anchor] = target.split('#');
    const place = placed.get(join(dirname(from), decodeURI(path)));
    if (place === undefined) return label;
    const link = encodeURI(relative(dirname(to), place));
    return `[${label}](${link}${anchor === undefined ? '' : `#${anchor}`})`;
  });

import GithubSlugger from 'github-slugger';
import { readMarkdownPage } from './markdown-page.js';

/** A text of the repository that cites decisions. */
interface CitingText {
  /** Relative to the root. */
  readonly file: string;
  readonly text: string;
}

const slugOf = (heading: string): string => new GithubSlugger().slug(heading);

const headed =
  /^# (\d+)\. (.+)\n\nDate: \d{4}-\d\d-\d\d\. Status: (?:accepted|replaced)(?:; includes ([\d, and]+))?\.\n/;

/** Faults of the head of a file: title, date and status. */
const headFaultsOf = (name: string, text: string): string[] => {
  const [, number = '', title = ''] = headed.exec(text) ?? [];
  if (number === '') return [`${name}: it begins with "# <number>. <title>", then "Date: <day>. Status: accepted."`];
  const expected = `${number.padStart(4, '0')}-${slugOf(title)}.md`;
  return expected === name ? [] : [`${name}: its title belongs to a file ${expected}`];
};

/** The numbers of the merged decisions that the status of a file names. */
const includedIn = (text: string): readonly string[] => headed.exec(text)?.[3]?.match(/\d+/g) ?? [];

const indexFaultsOf = (index: string, decisions: ReadonlyMap<string, string>): string[] => {
  const [topics = '', merged = ''] = index.split('\n## Merged decisions\n');
  const listed = [...topics.matchAll(/^- \[[^\]]+\]\(([^)#]+)\)$/gm)].map(([, name]) => name ?? '');
  const faults = [...decisions.keys()].flatMap((name) => {
    const times = listed.filter((each) => each === name).length;
    return times === 1 ? [] : [`README.md: ${name} is listed ${times} times`];
  });
  const rows = [...merged.matchAll(/^- (\d+) is in \[[^\]]+\]\(([^)#]+)#([^)]+)\)$/gm)];
  for (const [, number = '', name = '', anchor = ''] of rows) {
    const text = decisions.get(name);
    if (text === undefined || !readMarkdownPage(text).anchors.has(anchor)) {
      faults.push(`README.md: decision ${number} is not at ${name}#${anchor}`);
    } else if (!includedIn(text).includes(number)) faults.push(`${name}: its status does not include ${number}`);
  }
  const moved = new Set(rows.map(([, number]) => number));
  for (const [name, text] of decisions) {
    for (const number of includedIn(text)) {
      if (!moved.has(number)) faults.push(`README.md: merged decision ${number} of ${name} is missing`);
    }
  }
  return faults;
};

const citationFaultsOf = ({ file, text }: CitingText, decisions: ReadonlyMap<string, string>): string[] =>
  [...text.matchAll(/decisions\/(\d{4}-[\w-]+\.md)(?:#([\w-]+))?/g)].flatMap(([cited, name = '', anchor]) => {
    const page = decisions.get(name);
    if (page !== undefined && (anchor === undefined || readMarkdownPage(page).anchors.has(anchor))) return [];
    return [`${file}: there is no ${cited}`];
  });

/**
 * Faults of the decisions: heads that are not complete, an index that lists other files than there are, and citations of
 * files or headings that do not exist.
 *
 * @param index the text of the index
 * @param decisions the other files of the folder by name
 * @param citing texts of the repository
 */
export const decisionFaults = (
  index: string,
  decisions: ReadonlyMap<string, string>,
  citing: readonly CitingText[],
): readonly string[] => [
  ...[...decisions].flatMap(([name, text]) => headFaultsOf(name, text)),
  ...indexFaultsOf(index, decisions),
  ...citing.flatMap((text) => citationFaultsOf(text, decisions)),
];

import GithubSlugger from 'github-slugger';

export interface MarkdownPage {
  /** Anchors of the headings, as GitHub gives them. */
  readonly anchors: ReadonlySet<string>;
  /** Targets of the links, in order. */
  readonly links: readonly string[];
}

const withoutCode = (text: string): string =>
  text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/<!--[\s\S]*?-->/g, '');

/** Reads the headings and links of a page; code blocks have neither. */
export const readMarkdownPage = (text: string): MarkdownPage => {
  const prose = withoutCode(text);
  const slugger = new GithubSlugger();
  const headings = [...prose.matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading]) => heading ?? '');
  const plain = (heading: string) => heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');
  return {
    anchors: new Set(headings.map((heading) => slugger.slug(plain(heading)))),
    links: [...prose.replaceAll(/`[^`\n]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? ''),
  };
};

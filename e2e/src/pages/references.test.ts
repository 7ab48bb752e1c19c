import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { root } from '../harness/spawned.js';
import { readMarkdownPage, type MarkdownPage } from './markdown-page.js';
import { repositoryFiles } from './repository-files.js';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const pages = new Map<string, MarkdownPage>();
const pageOf = (path: string): MarkdownPage => {
  const page = pages.get(path) ?? readMarkdownPage(read(path));
  pages.set(path, page);
  return page;
};

/** The reason why a reference is broken; undefined if it is valid. */
const findFault = (path: string, anchor: string | undefined): string | undefined => {
  if (!existsSync(join(root, path))) return `no file ${path}`;
  if (anchor === undefined || !path.endsWith('.md')) return undefined;
  return pageOf(path).anchors.has(anchor) ? undefined : `no heading #${anchor} in ${path}`;
};

const citation = /(docs\/(?:adaptors|protocols|reference)\/[\w-]+\.md)(?:#([\w-]+))?/g;

const decisionFiles = readdirSync(join(root, 'docs/decisions'));
const decisions = new Set(decisionFiles.map((name) => Number(name.slice(0, 4))));

/** Citations of decision records, by number, without a file. */
const missingDecisionsOf = (file: string): string[] =>
  [...read(file).matchAll(/\b(?:[Dd]ecisions?|ADRs?) (\d+)\b/g)]
    .filter(([, number]) => !decisions.has(Number(number)))
    .map(([cited]) => `${file}: ${cited}`);

describe('comments', () => {
  const files = repositoryFiles(root, ['ts', 'mjs', 'prisma', 'graphql']);
  const citing = files.map((file) => ({ file, text: read(file) })).filter(({ text }) => text.includes('docs/'));

  it('cite pages and headings that exist', () => {
    const faults = citing.flatMap(({ file, text }) =>
      [...text.matchAll(citation)].flatMap(([, path, anchor]) => {
        const fault = findFault(path ?? '', anchor);
        return fault === undefined ? [] : [`${file}: ${fault}`];
      }),
    );
    expect(faults).toEqual([]);
    expect(citing.length).toBeGreaterThan(50);
  });

  it('cite only documents that the repository contains', () => {
    const foreign = /(?<![\w/-])(?:server|adaptors|bus|decisions)\.md|[Dd]ecisions,? (?:\* )?section \d/;
    expect(files.filter((file) => !file.endsWith('references.test.ts') && foreign.test(read(file)))).toEqual([]);
  });

  it('cite decisions that exist', () => {
    expect(files.flatMap((file) => missingDecisionsOf(file))).toEqual([]);
  });
});

describe('pages', () => {
  it('link to files and headings that exist', () => {
    const faults = repositoryFiles(root, ['md']).flatMap((file) =>
      pageOf(file).links.flatMap((link) => {
        if (/^[a-z]+:/.test(link)) return [];
        const [path = '', anchor] = link.split('#');
        const fault = findFault(path === '' ? file : normalize(join(dirname(file), decodeURI(path))), anchor);
        return fault === undefined ? [] : [`${file}: ${fault}`];
      }),
    );
    expect(faults).toEqual([]);
  });

  it('cite decisions that exist', () => {
    expect(repositoryFiles(root, ['md']).flatMap((file) => missingDecisionsOf(file))).toEqual([]);
  });

  it('cite the specification by page and heading, not by a section number', () => {
    const numbered = /\(section \d+\)|[Ss]ection \d+ of the specification|[Dd]ecisions,? section \d/;
    expect(repositoryFiles(root, ['md']).filter((file) => numbered.test(read(file)))).toEqual([]);
  });
});

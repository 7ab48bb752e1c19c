import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../harness/spawned.js';
import { repositoryFiles } from './repository-files.js';

interface Block {
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a page, without the indentation of their list. */
const blocksOf = (page: string): readonly Block[] =>
  [...page.matchAll(/^( *)```([a-z]*)\n([\s\S]*?)^\1```$/gm)].map(([, indent = '', language = '', text = '']) => ({
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const shells = new Set(['sh', 'bash', 'shell']);
/** A block without a language is for the shell if it begins with a command. */
const beginsWithCommand = /^(?:curl|npx|npm|export|for|[A-Z_]+=)/;
const isShell = ({ language, text }: Block): boolean =>
  shells.has(language) || (language === '' && beginsWithCommand.test(text));

/** Variables that every shell has. */
const given = ['HOME', 'PATH', 'PWD', 'USER'];

/** Variables that the commands use and do not define. */
const undefinedVariables = (commands: string): readonly string[] => {
  const names = (pattern: RegExp, text: string): readonly string[] =>
    [...text.matchAll(pattern)].map(([, name]) => name ?? '');
  const defined = new Set([
    ...given,
    ...names(/\b([A-Za-z_]\w*)=/g, commands),
    ...names(/\bfor ([A-Za-z_]\w*) in\b/g, commands),
  ]);
  // the shell does not replace variables in single quotes
  const replaced = commands.replaceAll(/'[^']*'/g, '');
  return [...new Set(names(/\$\{?([A-Za-z_]\w*)/g, replaced))].filter((name) => !defined.has(name));
};

describe('blocks of pages', () => {
  const pages = repositoryFiles(root, ['md']).map((page) => ({
    page,
    blocks: blocksOf(readFileSync(join(root, page), 'utf8')),
  }));

  it('are JSON if they say so', () => {
    const blocks = pages.flatMap(({ page, blocks: all }) =>
      all.filter(({ language }) => language === 'json').map(({ text }) => ({ page, text })),
    );
    expect(blocks.filter(({ text }) => !isJson(text)).map(({ page, text }) => `${page}: ${text}`)).toEqual([]);
    expect(blocks.length).toBeGreaterThan(30);
  });

  it('define the variables of their commands on the same page', () => {
    const faults = pages.flatMap(({ page, blocks }) => {
      const commands = blocks.filter((block) => isShell(block)).map(({ text }) => text);
      return undefinedVariables(commands.join('\n')).map((name) => `${page}: ${name}`);
    });
    expect(faults).toEqual([]);
  });
});

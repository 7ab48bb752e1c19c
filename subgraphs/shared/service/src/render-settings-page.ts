import type { Setting } from './load-settings.js';

/** Text for a table cell, unchanged. */
const cell = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim();

const standardOf = ({ default: standard }: Setting<unknown>): string =>
  standard === undefined ? 'none' : standard === '' ? 'empty' : `\`${cell(standard)}\``;

/** The settings as a Markdown table, by variable: the page of settings is generated from their declarations. */
export const renderSettingsPage = (declared: Readonly<Record<string, Setting<unknown>>>): string => {
  const rows = Object.values(declared)
    .toSorted((a, b) => (a.variable < b.variable ? -1 : 1))
    .map((setting) => `| \`${setting.variable}\` | ${standardOf(setting)} | ${cell(setting.description)} |`);
  return ['| Variable | Default | Meaning |', '| --- | --- | --- |', ...rows, ''].join('\n');
};

import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import type { Leftovers } from '../../harness/leftovers.js';

/** The browser of Debian; playwright-core itself brings none. */
const executablePath = '/usr/bin/chromium';

/** Reason why pages cannot be tested here; undefined: they can. */
export const browserMissing: string | undefined = existsSync(executablePath)
  ? undefined
  : `needs the Debian package chromium (${executablePath})`;

const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Starts a browser without a window; the leftovers close it. */
export const openBrowser = async (leftovers: Leftovers): Promise<Browser> => {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', ...quiet] });
  leftovers.add(() => browser.close());
  return browser;
};

export { createBrowser, type Browser, type Shown } from './create-browser.js';
export { eventually, type Patience } from './eventually.js';

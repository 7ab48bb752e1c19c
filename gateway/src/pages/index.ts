export { escapeHtml, renderMessagePage, renderPage, type Page } from './page.js';

export { registerMcp } from './mcp-routes.js';

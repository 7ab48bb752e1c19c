import { stopTestServer } from './testing-server.js';

// jest requires a default export
export default stopTestServer;

import { stopTestServer } from './testing-server.js';

// jest takes a default export only
export default stopTestServer;

import { startTestServer } from './testing-server.js';

// jest requires a default export
export default startTestServer;

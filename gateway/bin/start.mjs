// npm start: install what is missing, build, and become the service, in this process.
import { prepare } from './prepare.mjs';

const parent = process.ppid;

// npm hands a signal to the shell between it and this process, and the shell may end without passing it on
if (process.env.npm_lifecycle_event === 'start') {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  watch.unref();
  // a signal that came through ends the service already; another would cut it short
  process.once('SIGINT', () => clearInterval(watch));
  process.once('SIGTERM', () => clearInterval(watch));
}

await prepare();
process.env.NODE_ENV ??= 'production';
process.env.APOLLO_TELEMETRY_DISABLED ??= 'true';
await import('../dist/bundle/main.mjs');

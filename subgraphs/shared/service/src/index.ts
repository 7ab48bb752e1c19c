export { callerGone, callerSignal } from './caller-signal.js';
export { createLanes, type Lanes } from './create-lanes.js';
export { createUuids } from './create-uuids.js';
export { createLifetime, type Closable, type Lifetime } from './lifetime.js';
export { loadSettings, settings, SettingsError, type Setting } from './load-settings.js';
export { createLog, type Log } from './log.js';
export { renderSettingsPage } from './render-settings-page.js';
export { runUntilSignal, type RunOptions } from './run-until-signal.js';
export { Secret } from './secret.js';

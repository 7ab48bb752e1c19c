export type { ChangeEvent } from './change-event.js';
export { subjectOfChange, type ChangeSubject, type SubjectNames, type SubjectVersion } from './change-subject.js';
export { compileEvents, matchesEvents, type EventFilter } from './compile-events.js';
export { eventActions, type EventAction, type EventEntry } from './event-entry.js';
export { mayRegister } from './may-register.js';
export { isNotifiedType, notifiedTypes, type NotifiedType } from './notified-types.js';
export { parseEvents } from './parse-events.js';
export { mayReceive, seeChange, type ChangeReceiver } from './see-change.js';
export { toMetadataMessage, type MetadataMessage } from './to-metadata-message.js';

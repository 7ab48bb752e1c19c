import type { JsonValue } from '@fds/json';
import type { FaultList } from '@fds/errors';

/**
 * Holds a value that is present and not null against a property; compiled once per version.
 * Reports faults at `pointer` or below it. Answers the value as it is kept; after a fault its answer means nothing.
 */
export type Accept = (value: JsonValue, pointer: string, faults: FaultList) => JsonValue;

import type { ErrorCause } from '@fds/errors';

/** As many faults as one answer lists; further faults are left out. */
const maxFaults = 1000;

/** Appends a member name or an index to a JSON pointer (RFC 6901). */
export const pointerTo = (pointer: string, member: string | number): string =>
  `${pointer}/${typeof member === 'number' ? member : member.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Collects every fault of one text, so that all are reported at once. */
export class FaultList {
  readonly #causes: ErrorCause[] = [];

  get causes(): readonly ErrorCause[] {
    return this.#causes;
  }

  get isEmpty(): boolean {
    return this.#causes.length === 0;
  }

  /** Further faults are left out, so that the rest of a list need not be read. */
  get isFull(): boolean {
    return this.#causes.length >= maxFaults;
  }

  /** Is there a fault of the very place? */
  isAt(place: string): boolean {
    return this.#causes.some(({ pointer }) => pointer === place);
  }

  /** @param detail public sentence; never holds a value of the data */
  add(pointer: string, code: string, detail: string): void {
    if (this.#causes.length < maxFaults) this.#causes.push({ pointer, code, detail });
  }
}

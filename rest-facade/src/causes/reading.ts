import type { ErrorCause } from '@fds/errors';

/** Most causes that one answer lists. Further ones are left out. */
const maxCauses = 1000;

const isIndex = /^\d+$/;

/** Collects all faults of one request while its parts are read. */
export class Reading {
  readonly #causes: ErrorCause[] = [];
  readonly #leftOut = new Map<string, number[]>();
  #isWrapped = false;
  #prefix = '';

  get causes(): readonly ErrorCause[] {
    return this.#causes;
  }

  /** Further causes are left out, so that the rest of a list need not be read. */
  get isFull(): boolean {
    return this.#causes.length >= maxCauses;
  }

  add({ pointer, code, detail }: ErrorCause): void {
    if (this.#causes.length < maxCauses) this.#causes.push({ pointer, code, detail });
  }

  /** Notes that a wrong element of a list is not passed on. Call it in ascending order for each list. */
  leaveOut(listPointer: string, index: number): void {
    const known = this.#leftOut.get(listPointer);
    if (known === undefined) this.#leftOut.set(listPointer, [index]);
    else known.push(index);
  }

  /** Notes that the body is passed on as the only element of a list. */
  wrap(): void {
    this.#isWrapped = true;
  }

  /** Notes that only the member at this pointer is passed on. */
  unwrap(pointer: string): void {
    this.#prefix = pointer;
  }

  /** Translates a place in the passed value to the place in the body, where left-out elements count. */
  locate(pointer: string): string {
    if (!pointer.startsWith('/')) return pointer;
    const [, ...segments] = pointer.split('/');
    if (this.#isWrapped && segments[0] === '0') segments.shift();
    return segments.reduce((at, segment) => {
      const gone = isIndex.test(segment) ? this.#leftOut.get(at) : undefined;
      if (gone === undefined) return `${at}/${segment}`;
      return `${at}/${gone.reduce((index, left) => (left <= index ? index + 1 : index), Number(segment))}`;
    }, this.#prefix);
  }
}

import type { ErrorCause } from '@fds/errors';

/** The number of causes that one answer lists; further ones are left out. */
const maxCauses = 1000;

const isIndex = /^\d+$/;

/** Appends a member name or an index to a JSON pointer (RFC 6901). */
export const pointerTo = (pointer: string, name: string | number): string =>
  `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The reading of one request: all faults of its parts. */
export class Reading {
  readonly #causes: ErrorCause[] = [];
  readonly #leftOut = new Map<string, number[]>();
  #isWrapped = false;
  #prefix = '';

  get causes(): readonly ErrorCause[] {
    return this.#causes;
  }

  add({ pointer, code, detail }: ErrorCause): void {
    if (this.#causes.length < maxCauses) this.#causes.push({ pointer, code, detail });
  }

  /** Notes that an element of a list is wrong and is not passed on; in ascending order for each list. */
  leaveOut(listPointer: string, index: number): void {
    const known = this.#leftOut.get(listPointer);
    if (known === undefined) this.#leftOut.set(listPointer, [index]);
    else known.push(index);
  }

  /** Notes that the body is passed on as the only element of a list. */
  wrap(): void {
    this.#isWrapped = true;
  }

  /** Notes that what is passed on is the member at this pointer. */
  unwrap(pointer: string): void {
    this.#prefix = pointer;
  }

  /** The place in the body for a place in the passed value: elements that were left out are counted again. */
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

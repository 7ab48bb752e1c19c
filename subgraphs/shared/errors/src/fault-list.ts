import { AppError, type ErrorCause } from './app-error.js';
import { type ErrorCode } from './error-catalogue.js';

/** Most causes that are kept, as in the answers of the doors. */
const maxCauses = 1000;

/** The causes found while an input is read, so that all are reported at once. */
export class FaultList {
  readonly #causes: ErrorCause[] = [];
  readonly #purpose: 'check' | undefined;

  /** @param purpose `check`: the input is refused in any case, and only its causes are wanted */
  constructor(purpose?: 'check') {
    this.#purpose = purpose;
  }

  /** @param detail public sentence; never holds a value of the data */
  add(pointer: string, code: string, detail: string): void {
    if (!this.isFull) this.#causes.push({ pointer, code, detail });
  }

  get causes(): readonly ErrorCause[] {
    return this.#causes;
  }

  /** Further causes are left out, so that the rest of a list need not be read. */
  get isFull(): boolean {
    return this.#causes.length >= maxCauses;
  }

  /** Is there a cause at exactly this place? */
  isAt(place: string): boolean {
    return this.#causes.some(({ pointer }) => pointer === place);
  }

  /** Only the causes are wanted; nothing changes. */
  get isCheck(): boolean {
    return this.#purpose === 'check';
  }

  get isEmpty(): boolean {
    return this.#causes.length === 0;
  }

  /**
   * To be called when everything has been read and before anything changes. A check ends here, with causes or without.
   *
   * @throws AppError UNKNOWN_REFERENCE when the input is right but names a resource that does not exist,
   * CHANGE_VERSION_REQUIRED when that is the only fault, otherwise VALIDATION_FAILED
   */
  throwIfAny(): void {
    if (this.isEmpty && this.#purpose === undefined) return;
    const areAll = (code: string): boolean => !this.isEmpty && this.#causes.every((cause) => cause.code === code);
    if (areAll('UNKNOWN_REFERENCE'))
      throw this.#error('UNKNOWN_REFERENCE', 'the input names a resource that does not exist');
    if (areAll('CHANGE_VERSION_REQUIRED')) throw this.#error('CHANGE_VERSION_REQUIRED', 'changeVersion is required');
    throw this.#error('VALIDATION_FAILED', 'the input is not valid');
  }

  #error(code: ErrorCode, detail: string): AppError {
    return new AppError(code, detail, { errors: this.causes });
  }
}

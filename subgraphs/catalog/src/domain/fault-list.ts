import { AppError, type ErrorCause } from '@fds/errors';

/** The causes found while an input is read, so that all are reported at once. */
export class FaultList {
  readonly #causes: ErrorCause[] = [];

  add(pointer: string, code: string, detail: string): void {
    this.#causes.push({ pointer, code, detail });
  }

  get causes(): readonly ErrorCause[] {
    return this.#causes;
  }

  get isEmpty(): boolean {
    return this.#causes.length === 0;
  }

  /** @throws AppError UNKNOWN_REFERENCE when the input is right but names what does not exist, else VALIDATION_FAILED */
  throwIfAny(): void {
    if (this.isEmpty) return;
    const onlyReferences = this.#causes.every((cause) => cause.code === 'UNKNOWN_REFERENCE');
    throw onlyReferences
      ? new AppError('UNKNOWN_REFERENCE', 'the input names what does not exist', { errors: this.causes })
      : new AppError('VALIDATION_FAILED', 'the input is not valid', { errors: this.causes });
  }
}

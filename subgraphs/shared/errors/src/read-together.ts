import { AppError } from './app-error.js';

type Readings = Readonly<Record<string, () => unknown>>;

const oneOf = (refusals: readonly [AppError, ...AppError[]]): AppError => {
  const [first] = refusals;
  if (refusals.length === 1) return first;
  return new AppError('INVALID_PARAMETER', refusals.map(({ message }) => message).join('; '), {
    errors: refusals.flatMap(({ errors }) => errors),
    details: Object.assign({}, ...refusals.map(({ details }) => details)) as AppError['details'],
  });
};

/**
 * Reads independent parameters, so that all their faults are reported at once.
 *
 * @throws AppError what one reading refuses with; where several refuse, INVALID_PARAMETER with the causes and details of all
 */
export const readTogether = <Given extends Readings>(
  readings: Given,
): { readonly [Name in keyof Given]: ReturnType<Given[Name]> } => {
  const refusals: AppError[] = [];
  const read = Object.entries(readings).map(([name, reading]) => {
    try {
      return [name, reading()] as const;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refusals.push(error);
      return [name, undefined] as const;
    }
  });
  const [first, ...others] = refusals;
  if (first !== undefined) throw oneOf([first, ...others]);
  return Object.fromEntries(read) as { readonly [Name in keyof Given]: ReturnType<Given[Name]> };
};

/** Makes a value at the first call and returns the same value from then on. A call that throws leaves nothing behind. */
export const once = <Value>(make: () => Value): (() => Value) => {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
};

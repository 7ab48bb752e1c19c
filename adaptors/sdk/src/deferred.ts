/** A promise that other code settles. */
export interface Deferred {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: Error): void;
}

export const createDeferred = (): Deferred => {
  let settle: Omit<Deferred, 'promise'> | undefined;
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // avoids an unhandled rejection: awaiting the promise is optional
  promise.catch(() => undefined);
  return { promise, resolve: () => settle?.resolve(), reject: (error) => settle?.reject(error) };
};

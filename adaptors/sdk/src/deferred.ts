/** A promise that is settled from outside. */
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
  // whoever awaits it learns of a rejection; nobody has to
  promise.catch(() => undefined);
  return { promise, resolve: () => settle?.resolve(), reject: (error) => settle?.reject(error) };
};

/** A host name has no address, or one that the service may not connect to. The error does not say which. */
export class UnusableHost extends Error {
  override readonly name = 'UnusableHost';
  readonly code = 'ENOTFOUND';
}

/** The receiver's address is not one that the service may connect to. */
export class RefusedTarget extends Error {
  override readonly name = 'RefusedTarget';
}

/** The receiver's address is not one that the service may connect to. */
export class RefusedTarget extends Error {
  override readonly name = 'RefusedTarget';
}

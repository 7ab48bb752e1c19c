/** No access token could be had. The message is public: it contains nothing secret. */
export class TokenFailure extends Error {
  override readonly name = 'TokenFailure';
}

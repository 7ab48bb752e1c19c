/** First-start passwords of the services that the tests start. */
export const firstPasswords = { admin: 'admin-password-of-the-journey', dgs: 'dgs-password-of-the-journey' } as const;

/** Members of an event that hold its data. */
export const dataMembers = ['json', 'jsonData', 'drKey'] as const;

/** Members of an event that do not hold data. */
export const plainMembers = ['action', 'domain', 'version', 'drUuid', 'transactionUuid', 'createTime'] as const;

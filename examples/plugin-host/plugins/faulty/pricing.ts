// An update that its author has not finished: what the shop imports from it is missing.
export const priceOf = async (_item: string): Promise<number> => 0;

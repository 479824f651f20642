// The first price list: prices in whole units.
export const priceOf = (item: string): number => item.length * 2;
export const format = (price: number): string => `${price} units`;

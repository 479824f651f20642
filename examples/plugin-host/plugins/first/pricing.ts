// The first price list: prices in whole units.
import { rateOf } from "vivarium/capabilities";

export const priceOf = async (item: string): Promise<number> => item.length * 2 * (await rateOf("units"));
export const format = (price: number): string => `${price} units`;

// The second price list: prices in cents. Alone it would not fit the formats of the first; both change together.
import { rateOf } from "vivarium/capabilities";

export const priceOf = async (item: string): Promise<number> => item.length * 2 * (await rateOf("cents"));
export const format = (price: number): string => `${(price / 100).toFixed(2)} €`;

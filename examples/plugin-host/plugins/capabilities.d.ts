// What this host grants to its plugins beside the language.
import "vivarium/capabilities";

declare module "vivarium/capabilities" {
  /** How many of a currency one unit is worth. */
  export function rateOf(currency: string): Promise<number>;
}

// What this host grants to its plugins beside the language.
// oxlint-disable-next-line no-unassigned-import -- makes what follows an addition to that module
import "vivarium/capabilities";

declare module "vivarium/capabilities" {
  /** How many of a currency one unit is worth. */
  export function rateOf(currency: string): Promise<number>;
}

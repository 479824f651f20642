// Which version this is.
import { readFileSync } from "node:fs";

/** Of the package. It holds for the built package too, whose files lie two folders below the root. */
export function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}

// Why a value cannot be encoded.
import { depthMax } from "./depth.ts";

/** The path leads from the root to the part that cannot. */
export class Refusal {
  readonly reason: "size" | "depth" | "kind";
  readonly what: string;
  path = "";
  constructor(reason: "size" | "depth" | "kind", what: string) {
    this.reason = reason;
    this.what = what;
  }
}

export const tooDeep = (): Refusal => new Refusal("depth", `nested deeper than ${depthMax}`);
export const tooLong = (bytesMax: number): Refusal => new Refusal("size", `longer than ${bytesMax} bytes`);

// The option `jail` of createRuntime().
import type { JailSettings } from "../../jail/jail.ts";
import { isJailLayer, jailLayerNames, jailLayers, type JailLayer } from "../../jail/layers.ts";
import { boolean, custom, fields, integer, refuseOption, type Shape } from "../../model/schema.ts";

export interface JailOptions {
  /** Layers without which the runtime must not start; `"all"` for every one that is on where the system has it. */
  readonly require?: readonly JailLayer[] | "all";
  /** The user that cells run as when the orchestrator is root. Default: 65534, nobody. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** End a cell at the first call that only an escaped guest makes. */
  readonly tripwire?: boolean;
  /** Run guests without compiling them to machine code: far slower, and no memory is both written and executed. */
  readonly jitless?: boolean;
}

const idMax = 0xffff_fffe;
const nobody = 65_534;

export const jailOptions = fields({
  require: custom((value = [], path) => {
    if (value === "all") return jailLayerNames.filter((layer) => jailLayers[layer].isDefault);
    const isList = Array.isArray(value);
    if (isList && value.every(isJailLayer)) return value;
    const got: unknown = isList ? value.find((each) => !isJailLayer(each)) : value;
    throw refuseOption({ verb: "set", path, rule: `"all" or a list of ${jailLayerNames.join(", ")}`, got });
  }),
  user: fields({
    uid: integer({ min: 1, max: idMax, default: nobody }),
    gid: integer({ min: 1, max: idMax, default: nobody }),
  }),
  tripwire: boolean(false),
  jitless: boolean(false),
} satisfies Shape<JailOptions>);

/** Completes and checks the option. */
export function completeJail(value: unknown): JailSettings {
  return jailOptions.read(value, "jail");
}

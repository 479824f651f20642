// The option `jail` of createRuntime(), completed and checked.
import type { JailSettings } from "../../jail/jail.ts";
import { isJailLayer, jailLayerNames, jailLayers, type JailLayer } from "../../jail/layers.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import { readBoolean, readFields, readInteger } from "./options.ts";

export interface JailOptions {
  /** Layers without which the runtime must not start; `"all"` for every one that is on where the system has it. */
  readonly require?: readonly JailLayer[] | "all";
  /** Whom cells belong to when the orchestrator is root. Default: 65534, nobody. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** End a cell at the first call that only an escaped guest makes. */
  readonly tripwire?: boolean;
  /** Run guests without compiling them to machine code: far slower, and no memory is both written and executed. */
  readonly jitless?: boolean;
}

const path = "jail";
const idMax = 0xffff_fffe;
const nobody = 65_534;

export function completeJail(value: unknown): JailSettings {
  const given = readFields(value, path, ["require", "user", "tripwire", "jitless"]);
  const user = readFields(given["user"], "jail.user", ["uid", "gid"]);
  const id = (name: string): number =>
    readInteger(user, { path: "jail.user", name }, { min: 1, max: idMax, default: nobody });
  return Object.freeze({
    require: readRequired(given["require"]),
    user: { uid: id("uid"), gid: id("gid") },
    tripwire: readBoolean(given, { path, name: "tripwire" }, false),
    jitless: readBoolean(given, { path, name: "jitless" }, false),
  });
}

function readRequired(value: unknown = []): readonly JailLayer[] {
  if (value === "all") return jailLayerNames.filter((layer) => jailLayers[layer].isDefault);
  const isList = Array.isArray(value);
  if (isList && value.every(isJailLayer)) return value;
  const wrong: unknown = isList ? value.find((each) => !isJailLayer(each)) : value;
  throw new InvalidOptionsError(
    `Cannot set jail.require as it must be "all" or a list of ${jailLayerNames.join(", ")}: got ${show(wrong)}`,
    "jail.require",
  );
}

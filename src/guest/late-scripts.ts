// Parts of this runtime that few guests need, each a script of its own. Its text is with the cell, and is compiled when it is first
// needed. By then guest code may have replaced everything: these scripts use what is saved here, and no global by its name.
import { classes } from "../model/wire/classes.ts";
import * as it from "../model/wire/intrinsics.ts";
import { Refusal, tooDeep, tooLong } from "../model/wire/refusal.ts";
import type { Host, LateScript } from "./host.ts";

// Saved before it is disabled for guests.
const compile = Function;
let textOf: Host["script"] = () => "";

/** From here on the texts come from this host. */
export function connectScripts(host: Pick<Host, "script">): void {
  textOf = host.script;
}

/** What a late script evaluates to. The build writes it as the body of a function with these parameters. */
export function evaluateScript(name: LateScript): unknown {
  return compile("it", "refusal", "known", textOf(name))(saved(), { Refusal, tooDeep, tooLong }, { classes });
}

/** The intrinsics that late scripts use, made only then: a test compares their names with what those scripts use. */
export function saved(): Partial<typeof it> {
  return {
    at: it.at,
    bigintText: it.bigintText,
    bigintValue: it.bigintValue,
    booleanValue: it.booleanValue,
    bufferLength: it.bufferLength,
    create: it.create,
    dateTime: it.dateTime,
    defineProperty: it.defineProperty,
    fromBase64: it.fromBase64,
    generatorPrototype: it.generatorPrototype,
    asyncGeneratorPrototype: it.asyncGeneratorPrototype,
    getPrototypeOf: it.getPrototypeOf,
    hasBrand: it.hasBrand,
    hasOwn: it.hasOwn,
    indexOf: it.indexOf,
    isArray: it.isArray,
    isDetached: it.isDetached,
    keys: it.keys,
    make: it.make,
    mapEach: it.mapEach,
    mapGet: it.mapGet,
    mapSet: it.mapSet,
    mapSize: it.mapSize,
    numberValue: it.numberValue,
    objectPrototype: it.objectPrototype,
    parse: it.parse,
    regexpFlags: it.regexpFlags,
    regexpSource: it.regexpSource,
    setAdd: it.setAdd,
    setEach: it.setEach,
    setSize: it.setSize,
    slice: it.slice,
    stringValue: it.stringValue,
    stringify: it.stringify,
    toBase64: it.toBase64,
    toBigInt: it.toBigInt,
    toText: it.toText,
    typedBuffer: it.typedBuffer,
    typedLength: it.typedLength,
    typedOffset: it.typedOffset,
    typedTag: it.typedTag,
    viewBuffer: it.viewBuffer,
    viewLength: it.viewLength,
    viewOffset: it.viewOffset,
  };
}

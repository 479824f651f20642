// Wraps the body of a module, as the compiler makes it, in the function that the guest's module table calls. The first line
// has no code of the guest's.
import { reserved, wrapperParameters } from "../../model/code/reserved.ts";
import type { Linkage } from "./linkage.ts";

/** A compiled module, as far as it is wrapped. */
export interface Wrapped {
  readonly code: string;
  readonly imports: readonly string[];
  readonly linkage: Linkage;
}

const parameters = wrapperParameters.join(",");

/**
 * The module as a function expression. An import is a variable around the body, which the table sets. Where the other module
 * is of the same cycle it may be read before it is set: then it is declared in a generator that goes on when it is first set,
 * so that reading it earlier throws as the language has it.
 */
export function wrapModule(
  { code, imports, linkage }: Wrapped,
  isCyclic: (specifier: string) => boolean = () => false,
): string {
  const slots = linkage.imports.map(({ specifier, name, local }, number) => {
    // A namespace is there from the beginning.
    return { local, setter: `${reserved.setter}${number}`, isZone: name !== null && isCyclic(specifier) };
  });
  const plain = slots.filter(({ isZone }) => !isZone).map(({ local }) => local);
  const setters = slots.map(({ local, setter, isZone }) => (isZone ? setter : setterOf(local)));
  let core = `[${linksText(imports, linkage)},[${setters.join(",")}],${code}]`;
  for (const { local, setter, isZone } of slots) {
    if (!isZone) continue;
    core = `${reserved.zone}(function*(){yield[${setterOf(local)},${setter}=>(${core})];let ${local}=yield})`;
  }
  const declared = plain.length > 0 ? `let ${plain.join(",")};` : "";
  return `(function(${parameters}){"use strict";${declared}return ${core}})`;
}

const setterOf = (local: string): string => `${reserved.value}=>{${local}=${reserved.value}}`;

/** As the guest's table reads it: requests, imports, exported variables, re-exports, stars, kind of body. */
function linksText(requests: readonly string[], linkage: Linkage): string {
  const { imports, locals, reexports, stars, body } = linkage;
  const links = [
    requests,
    imports.map(({ specifier, name }) => [specifier, name]),
    locals,
    reexports.map(({ exported, specifier, name }) => [exported, specifier, name]),
    stars,
    body,
  ];
  // In a program these would start new lines.
  return JSON.stringify(links)
    .replaceAll("\u2028", String.raw`\u2028`)
    .replaceAll("\u2029", String.raw`\u2029`);
}

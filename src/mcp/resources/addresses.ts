// The addresses of resources: vivarium://sandboxes/ID, and below it its logs and its sources.
import type { ResourceLink } from "@modelcontextprotocol/server";

export type Address =
  | { readonly kind: "info"; readonly id: string }
  | { readonly kind: "logs"; readonly id: string }
  | { readonly kind: "source"; readonly id: string; readonly module: string; readonly version?: number };

const scheme = "vivarium:";
const root = "sandboxes";

export const templates = {
  info: "vivarium://sandboxes/{id}",
  logs: "vivarium://sandboxes/{id}/logs",
  source: "vivarium://sandboxes/{id}/source/{module}",
  version: "vivarium://sandboxes/{id}/source/{module}{?version}",
} as const;

/** What an address names, or undefined where it names nothing. */
export function readAddress(text: string): Address | undefined {
  try {
    const url = new URL(text);
    const [, id = "", part, ...rest] = url.pathname.split("/").map((segment) => decodeURIComponent(segment));
    if (url.protocol !== scheme || url.host !== root || id === "" || url.hash !== "") return undefined;
    if (part === "source" && rest.length > 0)
      return readSource({ id, module: rest.join("/") }, url.searchParams);
    if (url.search !== "" || rest.length > 0) return undefined;
    if (part === undefined) return { kind: "info", id };
    return part === "logs" ? { kind: "logs", id } : undefined;
  } catch {
    return undefined;
  }
}

function readSource(
  at: { readonly id: string; readonly module: string },
  query: URLSearchParams,
): Address | undefined {
  const version = query.get("version");
  if ([...query.keys()].some((name) => name !== "version")) return undefined;
  if (version === null) return { kind: "source", ...at };
  return /^[1-9]\d{0,9}$/.test(version) ? { kind: "source", ...at, version: Number(version) } : undefined;
}

export function addressOf(address: Address): string {
  const base = `${scheme}//${root}/${encodeURIComponent(address.id)}`;
  if (address.kind === "info") return base;
  if (address.kind === "logs") return `${base}/logs`;
  const version = address.version === undefined ? "" : `?version=${address.version}`;
  return `${base}/source/${encodeURIComponent(address.module)}${version}`;
}

/** A pointer to a resource, as it stands in the result of a tool. */
export function linkTo(address: Address): ResourceLink {
  return {
    type: "resource_link",
    uri: addressOf(address),
    name: nameOf(address),
    mimeType: mimeTypeOf(address),
  };
}

export function nameOf(address: Address): string {
  if (address.kind === "info") return address.id;
  if (address.kind === "logs") return `${address.id} logs`;
  return `${address.id} ${address.module}${address.version === undefined ? "" : ` (version ${address.version})`}`;
}

export function mimeTypeOf({ kind }: Address): string {
  return kind === "info" ? "application/json" : "text/plain";
}

// The address of what is shown, behind the `#`, so that every state can be linked to: `#/lineage/ID?compare=OTHER`.
export const viewNames = ["overview", "lineage", "best", "sandboxes", "events", "machine", "runs"] as const;
export type ViewName = (typeof viewNames)[number];

export interface Route {
  readonly view: ViewName;
  /** What the view is of: an id. */
  readonly id: string | null;
  readonly query: Readonly<Record<string, string>>;
}

export function readRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [view = "", id] = path.split("/", 2);
  return {
    view: viewNames.find((name) => name === view) ?? "overview",
    id: id === undefined || id === "" ? null : decoded(id),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

export function writeRoute({
  view,
  id = null,
  query = {},
}: Partial<Route> & { readonly view: ViewName }): string {
  const words = new URLSearchParams(query).toString();
  return `#/${view}${id === null ? "" : `/${encodeURIComponent(id.toWellFormed())}`}${words === "" ? "" : `?${words}`}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

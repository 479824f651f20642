// What all views share: the model, where it has its data from, the address, and the colours.
import { Model } from "./model/model.ts";
import { readRoute, writeRoute, type Route, type ViewName } from "./route.ts";
import type { Opening } from "./source/open.ts";
import type { Source } from "./source/source.ts";

export type Theme = "system" | "light" | "dark";
const themeKey = "vivarium-theme";

class PageState {
  readonly model: Model = new Model();
  source: Source | null = $state.raw(null);
  /** What it waits for while there is no source. */
  opening: Opening = $state.raw({ state: "opening" });
  route: Route = $state.raw(readRoute(location.hash));
  theme: Theme = $state(readTheme());
  /** A short sentence that is shown, and read aloud, for a while. */
  notice: { readonly text: string; readonly kind: "done" | "failed" } | null = $state.raw(null);
  #version = $state(0);

  constructor() {
    this.model.changes.on(() => this.#version++);
    addEventListener("hashchange", () => (this.route = readRoute(location.hash)));
  }

  /** Whoever reads it is drawn again when the model has changed. */
  get version(): number {
    return this.#version;
  }

  go(view: ViewName, id: string | null = null, query: Readonly<Record<string, string>> = {}): void {
    location.hash = writeRoute({ view, id, query });
  }

  /** Changes what stands behind the `?`, without a step in the browser's history. */
  setQuery(change: Readonly<Record<string, string | null>>): void {
    const query = Object.fromEntries(
      Object.entries({ ...this.route.query, ...change }).filter(
        (entry): entry is [string, string] => entry[1] !== null,
      ),
    );
    history.replaceState(null, "", writeRoute({ ...this.route, query }));
    this.route = readRoute(location.hash);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset["theme"] = theme;
    try {
      localStorage.setItem(themeKey, theme);
    } catch {
      // A page that was opened from a file may store nothing.
    }
  }
}

function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(themeKey);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system";
  }
}

export const page: PageState = new PageState();

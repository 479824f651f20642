// The colours of style.css as a canvas wants them. Whoever reads `shownColours` is drawn again when they change.
import { page } from "../state.svelte.ts";
import { colourCount } from "./marks.ts";

let changes = $state(0);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => changes++);

export interface Colours {
  readonly surface: string;
  readonly line: string;
  readonly text: string;
  readonly quiet: string;
  readonly accent: string;
  readonly good: string;
  readonly warn: string;
  readonly bad: string;
  /** By the number of a mark. */
  readonly plots: readonly string[];
}

let known: { readonly key: string; readonly colours: Colours } | null = null;

export function shownColours(): Colours {
  const key = `${page.theme} ${changes}`;
  if (known?.key === key) return known.colours;
  // A property alone would give the text of the style sheet: what it comes to is known of an element that uses it.
  const probe = document.createElement("span");
  document.body.append(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours: Colours = {
    surface: colour("surface"),
    line: colour("line"),
    text: colour("text"),
    quiet: colour("quiet"),
    accent: colour("accent"),
    good: colour("good"),
    warn: colour("warn"),
    bad: colour("bad"),
    plots: Array.from({ length: colourCount }, (_, index) => colour(`plot-${index + 1}`)),
  };
  probe.remove();
  known = { key, colours };
  return colours;
}

// The colours of the page as a canvas understands them.
import { plotColours } from "./marks.ts";

export interface Palette {
  readonly surface: string;
  readonly line: string;
  readonly text: string;
  readonly quiet: string;
  readonly accent: string;
  readonly good: string;
  readonly warn: string;
  readonly plots: readonly string[];
}

/** Custom properties are not resolved where they stand, but where an element uses them. */
export function readPalette(within: HTMLElement): Palette {
  const probe = document.createElement("span");
  within.append(probe);
  const of = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const palette = {
    surface: of("surface"),
    line: of("line"),
    text: of("text"),
    quiet: of("quiet"),
    accent: of("accent"),
    good: of("good"),
    warn: of("warn"),
    plots: Array.from({ length: plotColours }, (_, index) => of(`plot-${index + 1}`)),
  };
  probe.remove();
  return palette;
}

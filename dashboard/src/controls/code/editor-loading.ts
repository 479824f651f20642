// Loads the editor where somebody looks at code, so that the page itself begins without it.
import type * as Editor from "./editor.ts";

let loading: Promise<typeof Editor | null> | undefined;

/** Null where it cannot be had; then it is tried again the next time. A page that is one file has none, and its policy no other. */
export function loadEditor(): Promise<typeof Editor | null> {
  if (isOneFile()) return Promise.resolve(null);
  loading ??= import("./editor.ts").catch(() => {
    loading = undefined;
    return null;
  });
  return loading;
}

function isOneFile(): boolean {
  return document.querySelector('meta[name="vivarium-source"][content="inline"]') !== null;
}

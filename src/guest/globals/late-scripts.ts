// Which globals are made when they are first read, and by which script: the names of files in `guest/late`.

/** Each script with the globals that it makes, in every sandbox. */
export const lateGlobals = [
  ["console", "console"],
  ["text-coding", "TextEncoder", "TextDecoder"],
  ["url", "URL", "URLSearchParams"],
  ["exceptions", "DOMException", "QuotaExceededError"],
  ["crypto", "crypto"],
  ["base64", "atob", "btoa"],
  ["events", "Event", "CustomEvent", "EventTarget", "AbortController", "AbortSignal"],
  ["clone", "structuredClone"],
  ["performance", "performance"],
] as const;

/** Those that make no global, or one that not every sandbox has. */
export const otherScripts = ["deterministic", "temporal", "fetch"] as const;

export type LateScript = (typeof lateGlobals)[number][0] | (typeof otherScripts)[number];

// Which source the page has: said by the page itself, in an element of its head.
import { connect } from "../../../src/client/connect.ts";
import type { EvolutionDump } from "../../../src/contract/evolution-bodies.ts";
import { page } from "../state.svelte.ts";
import { readDump } from "./dump.ts";
import { LiveSource } from "./live.ts";
import { answerMs } from "./questions.ts";
import { RecordedSource } from "./recorded.ts";
import { forgetToken, hasGivenToken, keepToken, takeToken } from "./token.ts";

/** What the page waits for before it has a source. */
export type Opening =
  | { readonly state: "opening" }
  | { readonly state: "token"; readonly message: string | null }
  | { readonly state: "failed"; readonly message: string };

let attempts = 0;
/** A long evolution is megabytes, which a slow connection may take minutes for. */
const dumpMs = 300_000;

type Kind = "live" | "dump" | "inline";

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Opens the source; what it needs, or why there is none, is in `page.opening`. */
export async function openSource(): Promise<void> {
  const kind = document.querySelector<HTMLMetaElement>('meta[name="vivarium-source"]')?.content as Kind;
  const attempt = ++attempts;
  closeSource();
  page.opening = { state: "opening" };
  try {
    if (kind === "inline") useDump(readDump(inlineText()));
    else if (kind === "dump") await openDump();
    else await openServer(takeToken());
  } catch (error) {
    // Another token was given meanwhile: this one's failure is nobody's.
    if (attempt !== attempts) return;
    if (codeOf(error) === "UNAUTHENTICATED") askAnew(textOf(error));
    else page.opening = { state: "failed", message: textOf(error) };
  }
}

/** Opens the source anew with the token of a link that was followed while the page was there already. */
export function followLinks(): void {
  addEventListener("hashchange", () => {
    if (hasGivenToken()) void openSource();
  });
}

function askAnew(message: string): void {
  closeSource();
  forgetToken();
  page.opening = { state: "token", message };
}

// What one token may see is not for the next one.
function closeSource(): void {
  page.source?.close();
  page.source = null;
  page.model.clear();
  page.model.runs = [];
  page.model.missed = 0;
  page.model.setConnection({ state: "connecting" });
}

/** Tries again with a token that somebody typed. */
export async function openWithToken(token: string): Promise<void> {
  keepToken(token);
  await openSource();
}

async function openServer(token: string | null): Promise<void> {
  const url = new URL(".", location.href.replace(/[?#].*$/s, ""));
  let source: LiveSource | undefined;
  const attempt = attempts;
  const runtime = await connect(url, {
    ...(token === null ? {} : { token }),
    deadlineMs: answerMs,
    onMissed: (gap) => {
      // The token is over, or was taken back.
      if (codeOf(gap.error) === "UNAUTHENTICATED" && source !== undefined && page.source === source)
        askAnew(textOf(gap.error));
      else source?.onMissed(gap);
    },
    onConnection: (connection) => source?.onConnection(connection),
  });
  // Another token was given meanwhile.
  if (attempt !== attempts) return void runtime.close();
  const isSeen = (): boolean => document.visibilityState === "visible";
  source = new LiveSource({ runtime, model: page.model, origin: url.host, isSeen });
  page.source = source;
  source.begin();
}

async function openDump(): Promise<void> {
  const token = takeToken();
  const attempt = attempts;
  const response = await fetch("./dump.json", {
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(dumpMs),
  });
  if (response.status === 401)
    throw Object.assign(new Error("Cannot show the evolution as the token must be the one of the link."), {
      code: "UNAUTHENTICATED",
    });
  if (!response.ok)
    throw new Error(`Cannot show the evolution as the server must have it: got ${response.status}.`);
  const dump = readDump(await response.text());
  if (attempt === attempts) useDump(dump);
}

function useDump(dump: EvolutionDump): void {
  page.source = new RecordedSource(dump, page.model);
}

function inlineText(): string {
  return document.querySelector("#dump")?.textContent ?? "";
}

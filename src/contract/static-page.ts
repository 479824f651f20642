// The dashboard and an evolution as one HTML file that opens from a disk: its script, its style and the document stand in the page,
// and its policy allows that script and that style alone.
import { VivariumError } from "../model/errors.ts";
import { sha256Base64 } from "./sha256.ts";
import type { EvolutionDump } from "./evolution-bodies.ts";

export interface StaticPageParts {
  /** The page as it was built. */
  readonly index: string;
  /** The text of one of its files, by the address that the page names, as in `./assets/index-1a2b.js`. */
  readonly fileOf: (address: string) => string | undefined;
  readonly dump: EvolutionDump;
}

/** Which files a page names: those that `fileOf` is asked for. */
export function filesOf(index: string): readonly string[] {
  return [...index.matchAll(scriptForm), ...index.matchAll(styleForm)].map(([, address = ""]) => address);
}

const scriptForm = /<script\b[^>]*\ssrc="([^"]+)"[^>]*><\/script>/g;
const styleForm = /<link\b(?=[^>]*\srel="stylesheet")[^>]*\shref="([^"]+)"[^>]*>/g;
const sourceForm = /<meta\s+name="vivarium-source"\s+content="[^"]*"\s*\/?>/;
// What is loaded later is not there; what the script cannot begin without would be missed.
const importForm = /(?:^|[;}\n])import\s*(?:[\w$*{][^;"'()]*from\s*)?["']\.{1,2}\//;

/** Code that is loaded when it is needed, such as the editor, is not in it: the page shows plain text instead. */
export function staticPage({ index, fileOf, dump }: StaticPageParts): string {
  const scripts: string[] = [];
  const styles: string[] = [];
  const read = (address: string): string => {
    const text = fileOf(address);
    if (text === undefined) throw broken(`its file ${address} must be there`, "nothing");
    return text;
  };
  for (const [, address = ""] of index.matchAll(scriptForm)) scripts.push(scriptText(read(address)));
  for (const [, address = ""] of index.matchAll(styleForm)) styles.push(styleText(read(address)));
  const other = scripts.find((text) => importForm.test(text));
  if (other !== undefined) throw broken("its script must be one file", "one that imports others");
  if (!sourceForm.test(index)) throw broken("it must say where its data is from", "none");
  const policy = policyOf(scripts, styles);
  const data = JSON.stringify(dump).replaceAll("<", "\\u003c");
  let [script, style] = [0, 0];
  // Functions, as a dollar in a text that is put in would mean something.
  return index
    .replace(
      sourceForm,
      () =>
        `<meta http-equiv="Content-Security-Policy" content="${policy}" />\n    <meta name="vivarium-source" content="inline" />`,
    )
    .replace(styleForm, () => `<style>${styles[style++]}</style>`)
    .replace(scriptForm, () => {
      const isFirst = script === 0;
      // Before the script, which looks for it.
      const before = isFirst ? `<script type="application/json" id="dump">${data}</script>\n    ` : "";
      return `${before}<script type="module">${scripts[script++]}</script>`;
    });
}

// In scripts these only occur in texts and patterns, where the backslash changes nothing.
function scriptText(text: string): string {
  return text.replaceAll(/<\/(?=script)/gi, "<\\/").replaceAll("<!--", "\\x3c!--");
}

function styleText(text: string): string {
  return text.replaceAll(/<\/(?=style)/gi, "<\\/");
}

function policyOf(scripts: readonly string[], styles: readonly string[]): string {
  const listed = (texts: readonly string[]): string =>
    texts.length === 0 ? "'none'" : texts.map((text) => `'sha256-${sha256Base64(text)}'`).join(" ");
  return [
    "default-src 'none'",
    `script-src ${listed(scripts)}`,
    `style-src ${listed(styles)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function broken(rule: string, got: string): VivariumError {
  return new VivariumError("INTERNAL", `Cannot write the page as one file as ${rule}: got ${got}`);
}

// The editor and the view of differences, in a shadow root: there their styles are sheets made by script, which the policy of the
// page allows. Loaded only where somebody looks at code.
import { defaultKeymap, history, historyKeymap, indentWithTab, selectAll } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { syntaxHighlighting } from "@codemirror/language";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, StateEffect, StateField, Text, type Extension, type Range } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  WidgetType,
} from "@codemirror/view";
import { invisible, visible } from "../../text.ts";
import { codeColours, codeTheme, diffTheme } from "./editor-theme.ts";

/** A line that something is said of, as the stack of an error does. */
export interface Mark {
  readonly line: number;
  readonly text: string;
  readonly kind: string;
}

export interface CodeOptions {
  readonly source: string;
  readonly language: "ts" | "js";
  readonly label: string;
  readonly marks: readonly Mark[];
  /** Null where it may only be read. */
  readonly onchange: ((source: string) => void) | null;
  /** What is chosen in a field whose place the editor takes while somebody types there: the focus is the editor's then. */
  readonly taken: { readonly from: number; readonly to: number } | null;
}

export interface Mounted {
  /** Shows another text, if it is another. */
  set(source: string): void;
  /** Says something else of its lines. */
  mark(marks: readonly Mark[]): void;
  close(): void;
}

const diffLimits = { scanLimit: 500, timeout: 200 };

export function mountCode(host: HTMLElement, options: CodeOptions): Mounted {
  const { source, onchange, taken } = options;
  let { marks } = options;
  const root = rootOf(host);
  const view = new EditorView({
    root,
    parent: root,
    doc: source,
    ...(taken && { selection: { anchor: taken.from, head: taken.to } }),
    extensions: [
      basics(options, onchange === null),
      highlightSpecialChars({ specialChars: invisible, render: specialChar }),
      markedLines(marks),
      onchange === null
        ? []
        : [
            history(),
            drawSelection(),
            EditorView.domEventHandlers({ beforeinput: replaceSelection }),
            keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
            EditorView.updateListener.of((update) => {
              if (update.docChanged) onchange(textOf(update.state));
            }),
          ],
    ],
  });
  showFirstMark(view, marks);
  if (taken !== null) view.focus();
  return {
    set: (next) => {
      if (next !== textOf(view.state))
        view.dispatch({
          changes: { from: 0, to: view.state.doc.length, insert: Text.of(next.split("\n")) },
          effects: marked.of(marks),
        });
    },
    mark: (next) => {
      marks = next;
      view.dispatch({ effects: marked.of(marks) });
      showFirstMark(view, marks);
    },
    close: () => view.destroy(),
  };
}

// A browser that replaces coloured text itself keeps the colour in an inline style, which the policy of the page refuses.
function replaceSelection(event: InputEvent, view: EditorView): boolean {
  const { state } = view;
  if (event.inputType !== "insertText" || event.data === null || state.selection.main.empty) return false;
  event.preventDefault();
  view.dispatch(state.replaceSelection(event.data), { scrollIntoView: true, userEvent: "input.type" });
  return true;
}

export interface DiffOptions {
  readonly before: string;
  readonly after: string;
  readonly labelBefore: string;
  readonly labelAfter: string;
  readonly mode: "unified" | "split";
  /** Whether lines that are the same are left out where there are many. */
  readonly isCollapsed: boolean;
}

/** Texts are shown with escapes for what is invisible, as removed lines are no text of an editor. */
export function mountDiff(host: HTMLElement, options: DiffOptions): { close(): void } {
  const root = rootOf(host);
  const before = Text.of(visible(options.before).split("\n"));
  const after = Text.of(visible(options.after).split("\n"));
  const { labelBefore, labelAfter } = options;
  const shared = {
    gutter: false,
    diffConfig: diffLimits,
    ...(options.isCollapsed ? { collapseUnchanged: { margin: 4, minSize: 6 } } : {}),
  };
  const side = (label: string): Extension => [
    basics({ language: "ts", label }, true),
    // What changed is often at the end of a long line.
    EditorView.lineWrapping,
    diffTheme,
  ];
  if (options.mode === "split") {
    const view = new MergeView({
      ...shared,
      root,
      parent: root,
      a: { doc: before, extensions: side(labelBefore) },
      b: { doc: after, extensions: side(labelAfter) },
    });
    return { close: () => view.destroy() };
  }
  const view = new EditorView({
    root,
    parent: root,
    doc: after,
    extensions: [
      side(`From ${labelBefore} to ${labelAfter}`),
      unifiedMergeView({ ...shared, original: before, mergeControls: false }),
    ],
  });
  return { close: () => view.destroy() };
}

// A line feed is the only end of a line: another one would hide a character.
function basics(
  { language, label }: { readonly language: "ts" | "js"; readonly label: string },
  isReadOnly: boolean,
): Extension {
  const attributes: Record<string, string> = { "aria-label": visible(label), tabindex: "0" };
  if (isReadOnly) attributes["aria-readonly"] = "true";
  return [
    EditorState.lineSeparator.of("\n"),
    EditorState.readOnly.of(isReadOnly),
    EditorView.editable.of(!isReadOnly),
    EditorView.contentAttributes.of(attributes),
    lineNumbers(),
    javascript({ typescript: language === "ts" }),
    syntaxHighlighting(codeColours),
    codeTheme,
    isReadOnly ? keymap.of([{ key: "Mod-a", run: selectAll }]) : [],
  ];
}

// A host that showed something before has its root already.
function rootOf(host: HTMLElement): ShadowRoot {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  root.replaceChildren();
  return root;
}

const textOf = (state: EditorState): string => state.doc.toString();

function specialChar(code: number): HTMLElement {
  const shown = document.createElement("span");
  shown.className = "cm-specialChar";
  shown.textContent = visible(String.fromCharCode(code));
  return shown;
}

class Remark extends WidgetType {
  readonly #text: string;

  constructor(text: string) {
    super();
    this.#text = text;
  }

  override toDOM(): HTMLElement {
    const remark = document.createElement("div");
    remark.className = "cm-remark";
    remark.textContent = `▲ ${this.#text}`;
    return remark;
  }

  override eq(other: Remark): boolean {
    return other.#text === this.#text;
  }
}

/** Something else is said of the lines, or the same of another text. */
const marked = StateEffect.define<readonly Mark[]>();

// They stay at their lines while somebody types.
function markedLines(marks: readonly Mark[]): Extension {
  return StateField.define<DecorationSet>({
    create: (state) => marksOf(state, marks),
    update: (lines, change) => {
      const said = change.effects.findLast((effect) => effect.is(marked));
      return said === undefined ? lines.map(change.changes) : marksOf(change.state, said.value);
    },
    provide: (field) => EditorView.decorations.from(field),
  });
}

function marksOf(state: EditorState, marks: readonly Mark[]): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  for (const { line, text } of marks) {
    if (!Number.isInteger(line) || line < 1 || line > state.doc.lines) continue;
    const { from } = state.doc.line(line);
    const remark = new Remark(visible(text.slice(0, 1_000)));
    ranges.push(Decoration.line({ class: "cm-marked" }).range(from));
    ranges.push(Decoration.widget({ widget: remark, side: 1, block: true }).range(state.doc.line(line).to));
  }
  return Decoration.set(ranges, true);
}

// Only the editor itself is scrolled, not the page around it.
function showFirstMark(view: EditorView, marks: readonly Mark[]): void {
  const [first] = marks;
  if (first === undefined || first.line < 1 || first.line > view.state.doc.lines) return;
  const { from } = view.state.doc.line(first.line);
  view.requestMeasure({
    read: () => view.lineBlockAt(from).top,
    write: (top) => (view.scrollDOM.scrollTop = Math.max(0, top - 80)),
  });
}

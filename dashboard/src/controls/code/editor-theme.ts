// How code looks: the tokens of the page, which reach into a shadow root, so that light and dark need no theme of their own.
import { HighlightStyle } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const codeColours: HighlightStyle = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.controlKeyword],
    color: "var(--plot-4)",
    fontWeight: "600",
  },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: "var(--plot-3)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--warn)" },
  { tag: [tags.comment], color: "var(--quiet)", fontStyle: "italic" },
  { tag: [tags.typeName, tags.className, tags.namespace], color: "var(--plot-7)" },
  {
    tag: [
      tags.function(tags.variableName),
      tags.function(tags.propertyName),
      tags.definition(tags.function(tags.variableName)),
    ],
    color: "var(--accent)",
  },
]);

export const codeTheme: Extension = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "0.87rem", maxHeight: "70vh" },
  "&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "-3px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)", outline: "none" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--accent-soft)",
  },
  ".cm-gutters": {
    backgroundColor: "var(--sunken)",
    color: "var(--quiet)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-specialChar": {
    color: "var(--bad)",
    border: "1px solid currentColor",
    borderRadius: "3px",
    padding: "0 2px",
    fontSize: "0.85em",
  },
  ".cm-marked": { backgroundColor: "var(--bad-soft)" },
  ".cm-remark": {
    padding: "0 6px",
    backgroundColor: "var(--bad-soft)",
    color: "var(--bad)",
    whiteSpace: "pre-wrap",
    fontFamily: "var(--sans)",
    fontSize: "0.9em",
  },
});

/** Signs before lines say what colours say. */
export const diffTheme: Extension = EditorView.theme({
  ".cm-line, .cm-deletedChunk .cm-deletedLine": { paddingLeft: "20px", position: "relative" },
  ".cm-deletedChunk": { paddingLeft: "0", backgroundColor: "var(--removed)" },
  ".cm-deletedChunk .cm-deletedLine": { display: "block", minHeight: "1.5em" },
  ".cm-deletedChunk .cm-deletedLine::before, &.cm-merge-a .cm-changedLine::before": {
    content: '"−" / "removed: "',
    position: "absolute",
    left: "6px",
    color: "var(--bad)",
    fontWeight: "700",
  },
  "&.cm-merge-b .cm-changedLine::before": {
    content: '"+" / "added: "',
    position: "absolute",
    left: "6px",
    color: "var(--good)",
    fontWeight: "700",
  },
  "&.cm-merge-a .cm-changedLine": { backgroundColor: "var(--removed)" },
  "&.cm-merge-b .cm-changedLine": { backgroundColor: "var(--added)" },
  "&.cm-merge-b .cm-changedText, &.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": {
    background: "none",
    textDecoration: "underline",
    textDecorationThickness: "2px",
  },
  "&.cm-merge-b .cm-changedText": { textDecorationColor: "var(--good)" },
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": { textDecorationColor: "var(--bad)" },
  ".cm-collapsedLines::before, .cm-collapsedLines::after": { content: '"⋯" / ""' },
  ".cm-collapsedLines": { color: "var(--quiet)", background: "var(--sunken)", fontFamily: "var(--sans)" },
});

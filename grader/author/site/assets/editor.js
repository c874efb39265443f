// The editor of the page, which fetch.sh bundles: CodeMirror 6 with what a Python exercise needs, and no more.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import {
  bracketMatching, codeFolding, ensureSyntaxTree, foldable, foldEffect, foldGutter, foldKeymap, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting,
} from "@codemirror/language";
import { unifiedMergeView } from "@codemirror/merge";
import { search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

const setMarks = StateEffect.define();

/** The marked lines. A mark moves with its line, and disappears with it. */
const marks = StateField.define({
  create: () => Decoration.none,
  update(known, transaction) {
    for (const effect of transaction.effects) if (effect.is(setMarks)) return effect.value;
    return known.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Say that a line is marked when the cursor enters it, because a screen reader does not see the colour. */
const spoken = EditorView.updateListener.of(({ view, state, startState, selectionSet }) => {
  const line = state.doc.lineAt(state.selection.main.head);
  const same = startState.doc.lineAt(startState.selection.main.head).number === line.number;
  if (!selectionSet || same) return;
  state.field(marks).between(line.from, line.from, () => {
    view.dispatch({ effects: EditorView.announce.of(`Line ${line.number} is marked: the failure is about it.`) });
  });
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: "var(--keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--string)" },
  { tag: tags.number, color: "var(--number)" },
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.className], color: "var(--name)" },
]);

const theme = EditorView.theme({
  "&": { backgroundColor: "var(--card)", color: "var(--ink)", fontSize: "var(--code)", height: "100%" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-foldPlaceholder": { background: "var(--wash)", border: "0", color: "var(--quiet)", padding: "0 0.5em" },
  ".cm-foldGutter .cm-gutterElement": { cursor: "pointer" },
  ".cm-gutters": { backgroundColor: "var(--card)", color: "var(--quiet)", borderRight: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent) 8%, transparent)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent) !important",
  },
  ".cm-failed": { backgroundColor: "var(--bad-wash)", boxShadow: "inset 3px 0 var(--bad)" },
  ".cm-changedLine": { backgroundColor: "color-mix(in srgb, var(--good) 12%, transparent) !important" },
  ".cm-changedText": { background: "color-mix(in srgb, var(--good) 26%, transparent) !important" },
  ".cm-deletedChunk": { backgroundColor: "color-mix(in srgb, var(--quiet) 14%, transparent) !important" },
  ".cm-deletedText": { background: "color-mix(in srgb, var(--quiet) 28%, transparent) !important" },
  ".cm-deletedLine, .cm-deletedLine del": { textDecoration: "none" },
  ".cm-changeGutter .cm-changedLineGutter": { background: "var(--good)" },
  ".cm-changeGutter .cm-deletedLineGutter": { background: "var(--quiet)" },
  ".cm-panels": { backgroundColor: "var(--paper)", color: "var(--ink)" },
  ".cm-panel input, .cm-panel button": { font: "inherit", color: "inherit", background: "var(--wash)" },
});

/**
 * Show a text in an element, in a shadow tree, so that styles need no exception in the content policy.
 *
 * `changed` is called with each new text, and `run` when a verdict is asked for.
 */
export function create(parent, label, { changed, run }) {
  const root = parent.attachShadow({ mode: "open" });
  const compared = new Compartment();
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const asked = () => (run(), true);
  const extensions = [
    lineNumbers(), foldGutter({ openText: "▾", closedText: "▸" }), codeFolding({ placeholderText: "given …" }), highlightActiveLineGutter(), history(),
    drawSelection({ cursorBlinkRate: calm ? 0 : 1200 }), indentOnInput(), bracketMatching(),
    highlightActiveLine(), search({ top: true }), python(), indentUnit.of("    "), EditorState.tabSize.of(4),
    syntaxHighlighting(colours), theme, marks, spoken,
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", autocapitalize: "off", spellcheck: "false" }),
    EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
    keymap.of([
      { key: "Mod-s", run: asked, preventDefault: true },
      { key: "Mod-Enter", run: asked, preventDefault: true },
      ...searchKeymap, ...historyKeymap, ...foldKeymap, ...defaultKeymap, indentWithTab,
    ]),
  ];
  const comparison = (original) =>
    original === undefined ? [] : unifiedMergeView({ original, mergeControls: false, collapseUnchanged: { margin: 3 } });
  const start = (doc) => EditorState.create({ doc, extensions: [extensions, compared.of([])] });
  const view = new EditorView({ state: start(""), parent: root, root });
  return {
    view,
    /** Show another text, which cannot be undone. */
    show: (text) => view.setState(start(text)),
    text: () => view.state.doc.toString(),
    /** Replace the text, which can be undone. */
    replace: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    /** Mark these lines. */
    mark(lines) {
      const doc = view.state.doc;
      const known = [...new Set(lines)].filter((line) => line >= 1 && line <= doc.lines).sort((a, b) => a - b);
      const ranges = known.map((line) => Decoration.line({ class: "cm-failed" }).range(doc.line(line).from));
      view.dispatch({ effects: setMarks.of(Decoration.set(ranges)) });
    },
    /** Select lines, and go to them. */
    select(first, last) {
      const { doc } = view.state;
      const [from, to] = [first, last].map((number) => doc.line(Math.max(1, Math.min(number, doc.lines))));
      const effects = EditorView.scrollIntoView(from.from, { y: "center" });
      view.dispatch({ selection: { anchor: from.from, head: to.to }, effects });
      view.focus();
    },
    /** Return the lines that are selected as a whole or in part; empty if the selection is. */
    selected() {
      const { doc, selection } = view.state;
      const { from, to, empty } = selection.main;
      return empty ? "" : doc.sliceString(doc.lineAt(from).from, doc.lineAt(to).to);
    },
    /** Put a text in place of the selection. */
    insert(text) {
      view.dispatch(view.state.replaceSelection(text), { scrollIntoView: true });
      view.focus();
    },
    /** Fold the blocks that begin at these lines. */
    fold(lines) {
      const { state } = view;
      ensureSyntaxTree(state, state.doc.length, 200);
      const starts = lines.map((number) => state.doc.line(number));
      const effects = starts.map(({ from, to }) => foldable(state, from, to)).filter(Boolean).map((one) => foldEffect.of(one));
      view.dispatch({ effects });
    },
    /** Put the cursor at a place, in the middle of what the editor shows. The page is not scrolled. */
    at(place) {
      view.dispatch({ selection: { anchor: place } });
      // heights of lines that were not shown yet are estimates: do it again in the next frames, unless somebody moves on
      const { doc } = view.state;
      let frames = 10;
      const centred = {
        read: () => view.state.doc === doc && view.state.selection.main.head === place && view.lineBlockAt(place),
        write(block) {
          if (!block) return;
          view.scrollDOM.scrollTop = block.top - (view.scrollDOM.clientHeight - block.height) / 2;
          if (frames-- > 0) requestAnimationFrame(() => view.requestMeasure(centred));
        },
      };
      view.requestMeasure(centred);
    },
    /** Show what differs from another text, or nothing. */
    compare: (original) => view.dispatch({ effects: compared.reconfigure(comparison(original)) }),
    focus: () => view.focus(),
  };
}

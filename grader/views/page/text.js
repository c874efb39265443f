"use strict";

// Learners' words are only inserted as text: `h` makes text nodes. In browsers with trusted types, everything
// that a library assigns to innerHTML is escaped, except for a few constants of the library.
const LIBRARY_MARKUP = new Set(["&nbsp;", "<div class='tabulator-arrow'></div>"]);
window.trustedTypes?.createPolicy("default", {
  createHTML: (text) => (LIBRARY_MARKUP.has(text) ? text : text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")),
});

// As in grader/outside/text.py: invisible characters, unless they shape their neighbours
const SHAPELESS = "\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u3164\\uffa0";
const VARIANTS = "\\u180b-\\u180d\\u180f\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}";
const JOINED = `(?<=(?![\\0-\\x7f${SHAPELESS}])[\\p{Lo}\\p{Mn}\\p{Mc}\\p{So}\\p{Sk}])[\\u200c\\u200d](?=(?![${SHAPELESS}])[\\p{Lo}\\p{So}])`;
const VARIED = `(?<=(?![\\0-\\x7f${SHAPELESS}])[\\p{Lo}\\p{So}\\p{Sm}\\p{Po}\\p{Pd}])[${VARIANTS}]|[${VARIANTS}](?=\\u20e3)`;
const UNSEEN = new RegExp(
  `(${JOINED}|${VARIED}|\\t)|[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}${SHAPELESS}${VARIANTS}]`,
  "gu",
);
const STATUS = {
  passed: ["✓", "passed"],
  partial: ["◐", "partial"],
  failed: ["✗", "failed"],
  error: ["✗", "error"],
  timeout: ["✗", "timeout"],
  crashed: ["✗", "crashed"],
  skipped: ["–", "skipped"],
  missing: ["–", "missing"],
  not_started: ["○", "not started"],
  unreadable: ["!", "unreadable"],
};
const NOTHING = ["not_started", "missing", "unreadable"];
const order = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" }).compare;
const byId = (id) => document.getElementById(id);
const count = (n) => n.toLocaleString("en");
const several = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

function spelling(number) {
  const [mark, width] = number < 0x100 ? ["x", 2] : number < 0x10000 ? ["u", 4] : ["U", 8];
  return `\\${mark}${number.toString(16).padStart(width, "0")}`;
}

/** Return a text with invisible characters and marks of writing direction shown as escapes. */
function plain(text) {
  return String(text).replace(UNSEEN, (c, kept) => kept ?? spelling(c.codePointAt(0)));
}

/** Make an element from `tag.class.class`, attributes (`on…` is a listener) and children; strings become text nodes. */
function h(tag, attributes, ...children) {
  const [name, ...classes] = tag.split(".");
  const node = document.createElement(name);
  if (classes.length) node.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") node.addEventListener(key.slice(2), value);
    else if (value !== undefined) node.setAttribute(key, value === true ? "" : plain(value));
  }
  const given = children.flat(2).filter((child) => child != null && child !== false && child !== "");
  node.append(...given.map((child) => (child instanceof Node ? child : plain(child))));
  return node;
}

const block = (text) => {
  const node = h("pre", { tabindex: 0 });
  node.textContent = text.split(/\r?\n/).map(plain).join("\n");
  return node;
};
const badge = (status) =>
  h(
    `span.status.${status}`,
    null,
    h("span.mark", { "aria-hidden": "true" }, STATUS[status][0]),
    ` ${STATUS[status][1]}`,
  );

/** Return a text in the form that is searched: lower case, with single spaces. */
const sought = (text) => plain(text.replace(/[ \t\r\n]+/g, " ").trim()).toLowerCase();

async function unpack() {
  const text = atob(byId("data").textContent);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** Add to each learner the fields that are looked up often. `i` is the learner's index. */
function prepare(data) {
  const reviews = new Map(Object.entries(data.reviews));
  data.index = new Map();
  data.learners.forEach((learner, i) => {
    data.index.set(learner.id, i);
    learner.i = i;
    learner.why = reviews.get(learner.id) ?? [];
    learner.name = (learner.people ?? []).map(([name]) => name).join(", ") || learner.id;
    learner.results = (learner.results ?? data.exercises.map(() => null)).map((at) => data.results[at] ?? null);
    const said = new Set();
    learner.results.forEach((result, e) => {
      for (const at of result?.checks ?? []) {
        const { mistake } = at ? data.details[at - 1] : {};
        if (mistake !== undefined) said.add(`${data.exercises[e].id}: ${data.texts[mistake]}`);
      }
    });
    const words = [learner.id, learner.origin, ...(learner.people ?? []).flat(), ...learner.why, ...said];
    learner.haystack = sought(words.filter(Boolean).join(" · "));
  });
}

const stem = (exercise) => `${exercise.number} ${exercise.id}`;
const linkTo = (id) => `#learner=${encodeURIComponent(id)}`;

function learnerLink(data, id, shown = id) {
  return data.index.has(id) ? h("a", { href: linkTo(id) }, h("bdi", null, shown)) : h("bdi", null, shown);
}

"use strict";

// Others' words are only inserted as text: `h` makes text nodes.

// As in grader/base/text.py: invisible characters, unless they shape their neighbours
const SHAPELESS = "\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u3164\\uffa0";
const VARIANTS = "\\u180b-\\u180d\\u180f\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}";
const JOINED = `(?<=(?![\\0-\\x7f${SHAPELESS}])[\\p{Lo}\\p{Mn}\\p{Mc}\\p{So}\\p{Sk}])[\\u200c\\u200d](?=(?![${SHAPELESS}])[\\p{Lo}\\p{So}])`;
const VARIED = `(?<=(?![\\0-\\x7f${SHAPELESS}])[\\p{Lo}\\p{So}\\p{Sm}\\p{Po}\\p{Pd}])[${VARIANTS}]|[${VARIANTS}](?=\\u20e3)`;
const UNSEEN = new RegExp(
  `(${JOINED}|${VARIED}|\\t)|[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}${SHAPELESS}${VARIANTS}]`,
  "gu",
);
/**
 * @template {string} Id
 * @param {Id} id
 * @returns {Id extends keyof ElementsById ? ElementsById[Id] : HTMLElement}
 */
const byId = (id) => /** @type {any} */ (document.getElementById(id));
/**
 * Return the first element that a selector finds. It must be there.
 * @type {(selector: string, within?: ParentNode) => HTMLElement}
 */
const find = (selector, within = document) => /** @type {any} */ (within.querySelector(selector));

/** @type {(event: Event) => HTMLElement} */
const targetOf = ({ target }) => /** @type {HTMLElement} */ (target);

/** @type {(n: number) => string} */
const count = (n) => n.toLocaleString("en");
/** @type {(n: number, one: string, many?: string) => string} */
const several = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

/** @type {(number: number) => string} */
function spelling(number) {
  const [mark, width] = number < 0x100 ? ["x", 2] : number < 0x10000 ? ["u", 4] : ["U", 8];
  return `\\${mark}${number.toString(16).padStart(width, "0")}`;
}

/**
 * Return a text with invisible characters and marks of writing direction shown as escapes.
 * @type {(text: unknown) => string}
 */
function plain(text) {
  return String(text).replace(UNSEEN, (c, kept) => kept ?? spelling(c.codePointAt(0) ?? 0));
}

/**
 * Make an element from `tag.class.class`, attributes (`on…` is a listener) and children; strings become text nodes.
 * @type {<Tag extends string>(tag: Tag, attributes?: Attributes, ...children: Child[]) => ElementOf<Tag>}
 */
const h = (tag, attributes, ...children) =>
  /** @type {any} */ (made((name) => document.createElement(name), tag, attributes, children));

/**
 * Make an element of SVG in the same way.
 * @type {(tag: string, attributes?: Attributes, ...children: Child[]) => SVGElement}
 */
const svg = (tag, attributes, ...children) =>
  made((name) => document.createElementNS("http://www.w3.org/2000/svg", name), tag, attributes, children);

/**
 * @template {Element} E
 * @param {(name: string) => E} create
 * @param {string} tag
 * @param {Attributes | undefined} attributes
 * @param {Child[]} children
 */
function made(create, tag, attributes, children) {
  const [name, ...classes] = tag.split(".");
  const node = create(name);
  if (classes.length) node.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") node.addEventListener(key.slice(2), value);
    else if (value !== undefined) node.setAttribute(key, value === true ? "" : plain(value));
  }
  return add(node, ...children);
}

/**
 * Add children to an element as `h` does: strings and numbers become text nodes; what is not there is left out.
 * @template {Element} E
 * @param {E} node
 * @param {Child[]} children
 * @returns {E}
 */
function add(node, ...children) {
  for (const child of children) {
    if (child == null || child === false || child === "") continue;
    if (child instanceof Node) node.append(child);
    else if (typeof child === "object") add(node, ...child);
    else node.append(plain(child));
  }
  return node;
}

/**
 * Replace the children of an element.
 * @template {Element} E
 * @param {E} node
 * @param {Child[]} children
 * @returns {E}
 */
function fill(node, ...children) {
  node.replaceChildren();
  return add(node, ...children);
}

/** @type {(text: string) => HTMLElement} */
const block = (text) => {
  const node = h("pre", { tabindex: 0 });
  node.textContent = text.split(/\r?\n/).map(plain).join("\n");
  return node;
};

/**
 * Return what an encoded part of an address says; the part itself if it is damaged.
 * @type {(text: string) => string}
 */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Return the data of an element. It is unpacked at once, so that a page is complete when it has loaded.
 * @param {string} id
 * @returns {any} The data, which Python wrote.
 */
function unpack(id = "data") {
  const packed = Uint8Array.from(atob(byId(id).textContent ?? ""), (c) => c.charCodeAt(0));
  return JSON.parse(pako.inflate(packed, { to: "string" }));
}

"use strict";

// A number on the page is {value, text}. `value` is null where a learner's engine holds something that JSON cannot
// carry; `text` then says what it holds. It is null for an array, too, which is {value, text, array}.

const CORNER = 3; // the most rows and columns of an array that are shown

/** @type {(value: Held, text?: string) => Numeric} */
const numberOf = (value, text = "") =>
  value !== null && typeof value === "object"
    ? { value: null, text: arrayText(value), array: value }
    : { value, text: value === null ? text || "nothing" : text };
/** @type {(value: number) => Numeric} */
const exactly = (value) => numberOf(Number.isFinite(value) ? value : null, digits(value));

/**
 * Return a number as text: at most `most` significant digits, yet every digit before the point, and a real minus
 * sign.
 * @type {(value: number | null, most?: number) => string}
 */
function digits(value, most = 6) {
  if (value === null) return "not finite";
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "−inf";
  const size = Math.abs(value);
  const text =
    size >= 1e-4 && size < 10 ** Math.max(most, 6)
      ? Number(value.toPrecision(Math.max(most, Math.floor(Math.log10(size)) + 1))).toString()
      : value.toExponential(Math.min(most - 1, 3)).replace(/\.?0+e/, "e");
  return text.replaceAll("-", "−");
}

/** @type {(number: Numeric, most?: number) => string} */
const shown = ({ value, text, array }, most) =>
  array ? arrayText(array, most) : value === null ? plain(text) : digits(value, most);
/** @type {(value: number, most?: number) => string} */
const signed = (value, most) => (value > 0 ? `+${digits(value, most)}` : digits(value, most));
/** @type {(number: Numeric, most?: number) => string} */
const change = (number, most) => (number.value === null ? shown(number) : signed(number.value, most));

/**
 * Return whether two numbers differ beyond rounding, in a program whose largest number is `scale`.
 * @type {(yours: Numeric, right: Numeric, scale?: number) => boolean}
 */
function differ(yours, right, scale = 1) {
  if (yours.array || right.array) return !haveOneShape(yours, right) || offAt(yours, right, scale) >= 0;
  if (yours.value === null || right.value === null) return right.value !== null || yours.text !== right.text;
  return Math.abs(yours.value - right.value) > 1e-9 * Math.max(1, scale);
}

/**
 * Return the two texts of numbers that differ: with so many digits that this can be seen.
 * @type {(yours: Numeric, right: Numeric) => [string, string]}
 */
function apart(yours, right) {
  for (const most of [6, 9, 12, 17])
    if (shown(yours, most) !== shown(right, most)) return [shown(yours, most), shown(right, most)];
  return [shown(yours), shown(right)];
}

/** @type {(words: string[]) => string} */
const series = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);

// -- arrays

/**
 * Return the first rows and columns of an array: of more than two axes, those of the first matrix. `more` says whether
 * there are further rows and columns.
 * @type {(number: Numeric) => { rows: Numeric[][], more: [boolean, boolean], first: boolean, places: number[][] }}
 */
function cornerOf(number) {
  const [parts, shape] = [partsOf(number), shapeOf(number)];
  const [height, width] = [shape.at(-2) ?? 1, shape.at(-1) ?? 1];
  const [down, across] = [Math.min(height, CORNER), Math.min(width, CORNER)];
  const places = Array.from({ length: down }, (_, i) => Array.from({ length: across }, (_, j) => i * width + j));
  return {
    rows: places.map((row) => row.flatMap((place) => parts[place] ?? [])),
    places,
    more: [height > down, width > across],
    first: shape.slice(0, -2).some((length) => length > 1),
  };
}

/** @type {(shape: readonly number[]) => string} */
const shapeText = (shape) => `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
/** @type {(number: Numeric) => readonly number[]} */
const shapeOf = ({ array }) => array?.shape ?? [];
/** @type {(one: Numeric, other: Numeric) => boolean} */
const haveOneShape = (one, other) => shapeText(shapeOf(one)) === shapeText(shapeOf(other));
/** @type {(number: Numeric) => Numeric[]} */
const partsOf = (number) => number.array?.numbers.map((part) => numberOf(part, "not finite")) ?? [number];
/** @type {(shape: readonly number[]) => Numeric} */
const zeros = (shape) => {
  const numbers = Array(shape.reduce((all, length) => all * length, 1)).fill(0);
  return shape.length ? numberOf({ shape: [...shape], numbers }) : exactly(0);
};
/** @type {(number: Numeric) => boolean} */
const isZero = (number) => partsOf(number).every(({ value }) => value === 0);
/** @type {(nodes: GraphNode[]) => boolean} */
const haveArrays = (nodes) => nodes.some(({ shape }) => shape?.length);

/**
 * Return the first numbers of an array as a nested list: of more than two axes, those of the first matrix.
 * @type {(array: Data.Shaped, most?: number) => string}
 */
function arrayText({ shape: [length, ...rest], numbers }, most = 4) {
  if (length === undefined) return digits(numbers[0], most);
  const [size, drawn] = [numbers.length / length, Math.min(length, rest.length > 1 ? 1 : CORNER)];
  const parts = Array.from({ length: drawn }, (_, i) =>
    arrayText({ shape: rest, numbers: numbers.slice(i * size, (i + 1) * size) }, most),
  );
  return `[${[...parts, ...(length > drawn ? ["…"] : [])].join(", ")}]`;
}

/**
 * Return the place of the first number that differs in two arrays of one shape; -1 if none does.
 * @type {(yours: Numeric, right: Numeric, scale?: number) => number}
 */
function offAt(yours, right, scale) {
  const others = partsOf(right);
  return partsOf(yours).findIndex((part, i) => differ(part, others[i], scale));
}

/**
 * Return what differs in two values of `name`: its name with the index of the first number, and the two texts.
 * @type {(name: string, yours: Numeric, right: Numeric, scale?: number) => [string, string, string]}
 */
function off(name, yours, right, scale) {
  if (!haveOneShape(yours, right)) return [name, withShape(yours), withShape(right)];
  const place = Math.max(0, offAt(yours, right, scale));
  let rest = place;
  const index = [...shapeOf(yours)].reverse().map((length) => {
    const own = rest % length;
    rest = (rest - own) / length;
    return own;
  });
  const words = index.length ? `${name}[${index.reverse().join(", ")}]` : name;
  return [words, ...apart(partsOf(yours)[place], partsOf(right)[place])];
}
/** @type {(number: Numeric) => string} */
const withShape = (number) => (number.array ? `an array of shape ${shapeText(number.array.shape)}` : shown(number));

/**
 * Return the sum of numbers, or of arrays that have one shape.
 * @type {(amounts: Numeric[]) => Numeric}
 */
const added = (amounts) => amounts.reduce(plus, exactly(0));
/** @type {(one: Numeric, other: Numeric) => Numeric} */
function plus(one, other) {
  if (one.value !== null && other.value !== null) return exactly(one.value + other.value);
  if (one.value === 0 && other.array) return other;
  if (!one.array || !other.array || !haveOneShape(one, other)) return numberOf(null, "nan");
  const { shape, numbers } = other.array;
  const others = one.array.numbers;
  return numberOf({ shape, numbers: numbers.map((part, i) => (part === null || others[i] === null ? null : others[i] + part)) });
}

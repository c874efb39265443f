"use strict";

// A number on the page is {value, text}. `value` is null where a learner's engine holds something that JSON cannot
// carry; `text` then says what it holds.

/** @type {(value: number | null, text?: string) => Numeric} */
const numberOf = (value, text = "") => ({ value, text: value === null ? text || "nothing" : text });
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
const shown = ({ value, text }, most) => (value === null ? plain(text) : digits(value, most));
/** @type {(value: number, most?: number) => string} */
const signed = (value, most) => (value > 0 ? `+${digits(value, most)}` : digits(value, most));
/** @type {(number: Numeric, most?: number) => string} */
const change = (number, most) => (number.value === null ? shown(number) : signed(number.value, most));

/**
 * Return whether two numbers differ beyond rounding, in a program whose largest number is `scale`.
 * @type {(yours: Numeric, right: Numeric, scale?: number) => boolean}
 */
function differ(yours, right, scale = 1) {
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

"use strict";

// What comes from an interpreter or from the browser's storage is compared with these schemas before the page uses or
// keeps it. `build_site` writes them from the classes of grader/practice/site_data.py.

/** @type {Record<string, Schema>} */
const SCHEMAS = $schema;
const MOST_CHARACTERS = 8_000_000; // of an answer
const MOST_BYTES = 64_000_000; // of an archive

/**
 * Return whether a value fits a schema.
 * @param {Schema} schema
 * @param {unknown} value
 * @returns {boolean}
 */
function fits(schema, value) {
  if (schema.$ref) return fits(SCHEMAS[schema.$ref], value);
  if (schema.anyOf) return schema.anyOf.some((one) => fits(one, value));
  if (schema.enum) return schema.enum.includes(value);
  /** @type {(size: number, least?: number, most?: number) => boolean} */
  const within = (size, least = -Infinity, most = Infinity) => least <= size && size <= most;
  switch (schema.type) {
    case "null":
      return value === null;
    case "boolean":
      return typeof value === "boolean";
    case "integer":
    case "number":
      if (typeof value !== "number" || !(schema.type === "integer" ? Number.isInteger(value) : Number.isFinite(value))) return false;
      return within(value, schema.minimum, schema.maximum);
    case "string":
      if (typeof value !== "string" || !within(value.length, schema.minLength, schema.maxLength)) return false;
      return !schema.pattern || new RegExp(schema.pattern).test(value);
    case "array":
      if (!Array.isArray(value) || !within(value.length, schema.minItems, schema.maxItems)) return false;
      return value.every((item, at) => {
        const own = schema.prefixItems?.[at] ?? schema.items;
        return Boolean(own) && fits(/** @type {Schema} */ (own), item);
      });
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value) && fitsObject(schema, value);
    default:
      throw new Error(`no schema: ${JSON.stringify(schema)}`);
  }
}

/**
 * @param {Schema} schema
 * @param {object} value
 */
function fitsObject({ properties = {}, required = [], additionalProperties: others }, value) {
  if (!required.every((name) => Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, item]) => {
    if (Object.hasOwn(properties, name)) return fits(properties[name], item);
    return typeof others === "object" && fits(others, item);
  });
}

/**
 * Return what an interpreter answers in JSON. Raise an error if it is anything else than the answer to this request.
 * @template {keyof Data.InterpreterAnswers} Action
 * @param {Action} action
 * @param {unknown} text
 * @returns {Data.InterpreterAnswers[Action]}
 */
function answered(action, text) {
  if (typeof text !== "string" || text.length > MOST_CHARACTERS) throw new Error(`the answer to ${action} is too long`);
  const value = JSON.parse(text);
  if (!fits(SCHEMAS.InterpreterAnswers.properties?.[action] ?? {}, value)) throw new Error(`the answer to ${action} is not one`);
  return value;
}

/**
 * Return what the storage holds of a kind. What the page would not have stored is not there.
 * @template {keyof Data.Stored} Kind
 * @param {Kind} kind
 * @param {string | undefined} text
 * @returns {Data.Stored[Kind] | undefined}
 */
function stored(kind, text) {
  try {
    const value = JSON.parse(text ?? "null");
    return fits(SCHEMAS.Stored.properties?.[kind] ?? {}, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

import { isObject } from "../base/index.js";

/**
 * Whether the API takes the schema at its root: an object, and no union. Any other value is sent to the model inside
 * an object.
 */
export function isObjectSchema(schema: unknown): boolean {
  if (!isObject(schema) || schema["type"] !== "object" || schema["nullable"] === true) return false;
  return !UNIONS.some((keyword) => keyword in schema);
}

const UNIONS = ["$ref", "allOf", "anyOf", "oneOf"] as const;

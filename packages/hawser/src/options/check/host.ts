import { either, listOf, shape } from "./compound.js";
import {
  argument,
  boolean,
  callback,
  count,
  duration,
  isObject,
  isString,
  json,
  type Kind,
  path,
  size,
  string,
} from "./kind.js";
import { settingsPath } from "./settings.js";

const isSet = (value: unknown): boolean => typeof value === "boolean";

const isPath = (value: unknown): boolean => isString(value) && settingsPath(value) !== undefined;

/** What JSON text says is asked elsewhere: there are options that forgive it. */
export const settings: Kind = either(
  "object, path or JSON text",
  "an object, a path, or JSON text",
  [isPath, argument],
  [isString, string],
  [isObject, json],
);

export const requireMcp: Kind = either(
  "boolean or string[]",
  "true, false, or an array of server names",
  [isSet, boolean],
  [Array.isArray, listOf(string)],
);

export const inheritEnv: Kind = either(
  "boolean or string[]",
  "true, false, or an array of names",
  [isSet, boolean],
  [Array.isArray, listOf(string)],
);

export const user: Kind = either(
  "name or id",
  "a user's name or number",
  [isString, path],
  [(value) => typeof value === "number", size],
);

export const timeouts: Kind = shape(
  { bootMs: duration, firstMessageMs: duration, idleMs: duration, totalMs: duration },
  [],
  "refuse",
);

export const retry: Kind = shape(
  {
    attempts: size,
    baseMs: duration,
    maxMs: duration,
    budgetMs: duration,
    afterTools: boolean,
    cliRetries: size,
    apiTimeoutMs: count,
  },
  [],
  "refuse",
);

/** The CLI refuses a prompt that says nothing. */
const words: Kind = {
  name: "text",
  *problems(value, at) {
    if (!isString(value) || value.trim() === "") yield { path: at, message: "must be some text" };
  },
};

export const autoResume: Kind = either(
  "integer or object",
  "an integer of at least 0, or { times, waitMs, prompt }",
  [(value) => typeof value === "number", size],
  [isObject, shape({ times: size, waitMs: duration, prompt: words }, ["times"], "refuse")],
);

export const signal: Kind = {
  name: "AbortSignal",
  *problems(value, at) {
    if (!isSignal(value)) yield { path: at, message: "must be an AbortSignal" };
  },
};

export const controller: Kind = {
  name: "AbortController",
  *problems(value, at) {
    const fits = isObject(value) && isSignal(value["signal"]);
    if (!fits) yield { path: at, message: "must be an AbortController" };
  },
};

/** By its shape: there are polyfills, and other realms. */
function isSignal(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value["aborted"] === "boolean" &&
    typeof value["addEventListener"] === "function"
  );
}

export const logger: Kind = shape(
  { debug: callback, info: callback, warn: callback, error: callback },
  ["debug", "info", "warn", "error"],
);

export const sessionStore: Kind = shape({ append: callback, load: callback }, ["append", "load"]);

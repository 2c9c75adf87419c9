import { isObject, type Kind, kind, LONGEST_TIMER_MS } from "../../../base/index.js";
import { settingsPath } from "../settings-reading.js";

const isSet = (value: unknown): boolean => typeof value === "boolean";

const isPath = (value: unknown): boolean =>
  kind.isString(value) && settingsPath(value) !== undefined;

/**
 * `readInlineSettings()` checks the contents, because `strictSettingsMerge: false` tolerates bad
 * ones.
 */
export const settings: Kind = kind.either(
  "object, path or JSON text",
  "an object, a path, or JSON text",
  [isPath, kind.argument],
  [kind.isString, kind.string],
  [isObject, kind.json],
);

export const requireMcp: Kind = kind.either(
  "boolean or string[]",
  "true, false, or an array of server names",
  [isSet, kind.boolean],
  [Array.isArray, kind.listOf(kind.string)],
);

export const inheritEnv: Kind = kind.either(
  "boolean or string[]",
  "true, false, or an array of names",
  [isSet, kind.boolean],
  [Array.isArray, kind.listOf(kind.string)],
);

export const user: Kind = kind.either(
  "name or id",
  "a user's name or number",
  [kind.isString, kind.path],
  [(value) => typeof value === "number", kind.size],
);

/** A name that can be a part of a path in any store. */
export const projectKey: Kind = {
  name: "string",
  *problems(value, path) {
    if (kind.isString(value) && /^[\w-]+$/.test(value)) return;
    yield { path, message: "must be a text of letters, digits, _ and -" };
  },
};

/** In the shell of the watchdog, a shorter time may not be known. */
export const renewWithinMs: Kind = kind.number(
  "milliseconds",
  `a number of milliseconds from 1000 to ${LONGEST_TIMER_MS}`,
  (n) => n >= 1000 && n <= LONGEST_TIMER_MS,
);

export const timeouts: Kind = kind.shape(
  {
    bootMs: kind.duration,
    firstMessageMs: kind.duration,
    idleMs: kind.duration,
    totalMs: kind.duration,
  },
  [],
  "refuse",
  "{ totalMs: 60_000 }",
);

export const retry: Kind = kind.shape(
  {
    attempts: kind.size,
    baseMs: kind.duration,
    maxMs: kind.duration,
    budgetMs: kind.duration,
    afterTools: kind.boolean,
    cliRetries: kind.size,
    apiTimeoutMs: kind.count,
  },
  [],
  "refuse",
  "{ attempts: 3 }",
);

/** A text that is not blank, because the CLI refuses a blank prompt. */
const words: Kind = {
  name: "text",
  *problems(value, at) {
    if (!kind.isString(value) || value.trim() === "")
      yield { path: at, message: "must be a non-blank string" };
  },
};

export const autoResume: Kind = kind.either(
  "integer or object",
  "an integer of at least 0, or { times, waitMs, prompt }",
  [(value) => typeof value === "number", kind.size],
  [
    isObject,
    kind.shape({ times: kind.size, waitMs: kind.duration, prompt: words }, ["times"], "refuse"),
  ],
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

/** Looks at the shape instead of the class, because of polyfills and other realms. */
function isSignal(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value["aborted"] === "boolean" &&
    typeof value["addEventListener"] === "function"
  );
}

export const logger: Kind = kind.shape(
  { debug: kind.callback, info: kind.callback, warn: kind.callback, error: kind.callback },
  ["debug", "info", "warn", "error"],
);

export const sessionStore: Kind = kind.shape({ append: kind.callback, load: kind.callback }, [
  "append",
  "load",
]);

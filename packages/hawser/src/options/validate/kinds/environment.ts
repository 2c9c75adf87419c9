import { isObject, type Kind, kind } from "../../../base/index.js";

/** Variables by name; `undefined` removes one. Node refuses NUL, and a name cannot hold `=`. */
export const environment: Kind = {
  name: "environment",
  *problems(value, path) {
    if (!isObject(value)) return yield kind.notA("an object", value, path);
    for (const [name, text] of Object.entries(value)) {
      const field = kind.at(path, name);
      if (name === "" || /[=\0]/.test(name)) yield { path: field, message: "is not a valid name" };
      if (text === undefined) continue;
      if (typeof text !== "string") yield { path: field, message: "must be a string" };
      else if (text.includes("\0")) yield { path: field, message: "must not contain NUL" };
    }
  },
};

/** Flags without their dashes. `validateOptions` checks whether they repeat an option. */
export const extraArgs: Kind = {
  name: "flags",
  *problems(value, path) {
    if (!isObject(value)) return yield kind.notA("an object", value, path);
    for (const [name, text] of Object.entries(value)) {
      const field = kind.at(path, name);
      if (!/^[A-Za-z0-9][A-Za-z0-9-]*$/.test(name)) {
        const hint =
          "Write the flag's name without dashes, and its value as the value of the field.";
        yield { path: field, message: "is not the name of a flag", hint };
      }
      if (text === null || text === undefined) continue;
      if (typeof text !== "string") yield { path: field, message: "must be a string or null" };
      else if (/[\0-\x1f\x7f]/.test(text)) {
        yield { path: field, message: "must not contain control characters" };
      }
    }
  },
};

/** A credential. It becomes a variable, and then a header of a request. */
export const credential: Kind = {
  name: "secret",
  *problems(value, path) {
    const fits = typeof value === "string" && /^[\x21-\x7e]+$/.test(value);
    if (!fits) yield { path, message: "must be a non-empty string of printable characters" };
  },
};

export const beta: Kind = {
  name: "beta",
  *problems(value, path) {
    const fits = typeof value === "string" && /^[A-Za-z0-9][\w.-]*$/.test(value);
    if (!fits) yield { path, message: "is not the name of a beta" };
  },
};

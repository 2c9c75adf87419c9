import { createRequire } from "node:module";
import type { Ajv, Options } from "ajv";

/** Resolves ajv as a dependency of the MCP SDK. */
const require = createRequire(
  createRequire(import.meta.url).resolve("@modelcontextprotocol/sdk/server/index.js"),
);

type AjvClass = new (options?: Options) => Ajv;

export const Ajv7: AjvClass = (require("ajv") as { Ajv: AjvClass }).Ajv;
export const Ajv2020: AjvClass = (require("ajv/dist/2020.js") as { Ajv2020: AjvClass }).Ajv2020;
export const addFormats: (ajv: Ajv) => void = (
  require("ajv-formats") as { default: (ajv: Ajv) => void }
).default;

import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { HawserError, type Issue } from "../base/index.js";
import type { Scenario } from "./scenario.js";
import { scenarioIssues } from "./scenario-issues.js";

/** A scenario that was checked. */
export interface ReadScenario {
  readonly json: string;
  /** The file for the record of what arrives. */
  readonly record: string | undefined;
  /** How often each step should be used. */
  readonly times: readonly (number | "always")[];
}

/** Reads and checks a scenario. Throws `invalid_options`, with each invalid place in `issues`. */
export async function readScenario(given: Scenario | string | URL): Promise<ReadScenario> {
  if (typeof given !== "string" && !(given instanceof URL)) return looked(given, false);
  const file = typeof given === "string" ? resolve(given) : pathOf(given);
  const type = extname(file);
  if (type === ".json") return looked(await orRefuse(file, readJson(file)), false);
  if (type !== ".js" && type !== ".mjs") {
    throw refusal([{ path: file, message: "must be a .json, .js or .mjs file" }]);
  }
  const { href } = pathToFileURL(file);
  const scenario = await orRefuse(file, importDefault(href));
  if (scenario === undefined) throw refusal([{ path: file, message: "has no default export" }]);
  // The fake imports the file itself, because functions cannot be sent as JSON.
  return { ...looked(scenario, true), json: JSON.stringify({ module: href }) };
}

function pathOf(url: URL): string {
  if (url.protocol === "file:") return fileURLToPath(url);
  throw refusal([{ path: url.href, message: "must be a file: URL" }]);
}

async function readJson(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, "utf8"));
}

async function importDefault(href: string): Promise<unknown> {
  const { default: scenario } = (await import(href)) as { readonly default?: unknown };
  return scenario;
}

async function orRefuse(file: string, reading: Promise<unknown>): Promise<unknown> {
  try {
    return await reading;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw refusal([{ path: file, message: `cannot be read: ${why}` }], cause);
  }
}

function looked(scenario: unknown, isFile: boolean): ReadScenario {
  const issues = scenarioIssues(scenario, isFile);
  if (issues.length > 0) throw refusal(issues);
  const { record, steps = [] } = scenario as Scenario;
  const times = steps.map((step) => step.times ?? 1);
  return { json: isFile ? "" : asJson(scenario), record, times };
}

function asJson(scenario: unknown): string {
  try {
    return JSON.stringify(scenario);
  } catch (cause) {
    // The scenario has a BigInt or a circular reference.
    const why = cause instanceof Error ? cause.message.split("\n", 1)[0] : String(cause);
    throw refusal([{ path: "scenario", message: `must be plain JSON: ${why}` }], cause);
  }
}

function refusal(issues: readonly Issue[], cause?: unknown): HawserError {
  const words = issues.map(({ path, message }) => `${path} ${message}`).join("; ");
  return new HawserError("invalid_options", `The scenario is not valid: ${words}.`, {
    hint: "`issues` names each place. The types Scenario and Action list what a scenario may hold.",
    issues,
    ...(cause === undefined ? {} : { cause }),
  });
}

import { prose } from "./page.helper.js";

/** A name of ours in the text of a page, as a line of code that does not compile if there is none. */
export interface Mention {
  readonly line: number;
  readonly code: string;
}

/**
 * - in the first column of a table of options: options, also those of pools, and their parts
 * - `session.idle()`, `error.hint` and the like: members of what the page calls by that name
 * - `openSession()`: something that can be called
 */
export function mentionsIn(source: string): Mention[] {
  const lines = prose(source);
  let inOptions = false;
  return lines.flatMap((text, line) => {
    const [first = "", ...others] = cellsOf(text);
    if (others.length === 0) inOptions = false;
    else if (first === "option") inOptions = true;
    const options = inOptions ? codesIn(first).flatMap(optionIn) : [];
    const names = codesIn(text).flatMap((code) => [...memberIn(code), ...functionIn(code)]);
    return [...options, ...names].map((code) => ({ line, code }));
  });
}

/** What stands between single backticks. */
export function codesIn(text: string): string[] {
  return [...text.matchAll(/(?<!`)`([^`]+)`(?!`)/g)].map(([, code = ""]) => code);
}

function cellsOf(text: string): string[] {
  if (!text.startsWith("|")) return [];
  return text
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** `timeouts.totalMs`, or `preset: "agent"`; what is called is no option. */
function optionIn(code: string): string[] {
  const path = /^([a-z]\w*(?:\.\w+)*)(?::|$)/.exec(code)?.[1]?.split(".") ?? [];
  const [name, ...parts] = path;
  if (name === undefined) return [];
  const last = parts.pop();
  if (last === undefined) return [`"${name}" satisfies AnyOption;`];
  const owner = [name, ...parts].reduce((type, part) => `At<${type}, "${part}">`, "AllOptions");
  return [`"${last}" satisfies KeyOf<${owner}>;`];
}

const OWNERS = new Map([
  ["session", "Session"],
  ["turn", "Turn"],
  ["pool", "Pool"],
  ["approvals", "Approvals"],
  ["completion", "Completion"],
  ["error", "HawserError"],
  ["fleet", "Fleet"],
  ["run", "FleetRun"],
  ["worker", "FleetWorker"],
]);

function memberIn(code: string): string[] {
  const [, owner = "", name = ""] = /^([a-z]+)\.([A-Za-z]\w*)/.exec(code) ?? [];
  const type = OWNERS.get(owner);
  return type === undefined ? [] : [`"${name}" satisfies KeyOf<${type}>;`];
}

function functionIn(code: string): string[] {
  const name = /^([a-z]\w*)\(/.exec(code)?.[1];
  return name === undefined ? [] : [`"${name}" satisfies Callable;`];
}

/** The types that the lines above name. */
export const NAMES = `
type Hawser = typeof import("hawser");
type Providers = typeof import("hawser/providers");
type Testing = typeof import("hawser/testing");
type Answer = typeof import("hawser/answer");
type Council = typeof import("hawser/council");
type Gateway = typeof import("@hawser/gateway");
type Otel = typeof import("@hawser/otel");
type Inspector = typeof import("@hawser/inspector");
type AiSdk = typeof import("@hawser/ai-sdk") & typeof import("ai");
type FleetPackage = typeof import("@hawser/fleet");
type Fleet = import("@hawser/fleet").Fleet;
type FleetRun = import("@hawser/fleet").Run;
type FleetWorker = import("@hawser/fleet").Worker;
type FleetOptions =
  | keyof import("@hawser/fleet").FleetOptions
  | keyof import("@hawser/fleet").SubmitOptions
  | keyof import("@hawser/fleet").WorkOptions;
type InspectorOption = keyof import("@hawser/inspector").InspectorOptions;
type CouncilOptions = keyof import("hawser/council").CouncilOptions;
type Options = import("hawser").Options;
type PoolOptions = import("hawser").PoolOptions;
type Session = import("hawser").Session;
type Turn = import("hawser").Turn;
type Pool = import("hawser").Pool;
type Approvals = import("hawser").Approvals;
type ApprovalsOptions = import("hawser").ApprovalsOptions;
type Completion = import("hawser").Completion<unknown>;
type HawserError = import("hawser").HawserError;
type AllOptions = Options & PoolOptions;
type AnyOption = keyof Options | keyof PoolOptions | keyof ApprovalsOptions | FleetOptions | InspectorOption | CouncilOptions;
type KeyOf<T> = T extends unknown ? keyof T : never;
type At<T, K> = T extends unknown ? K extends keyof T ? NonNullable<T[K]> : never : never;
type Callable =
  | keyof Hawser
  | keyof Providers
  | keyof Testing
  | keyof Answer
  | keyof Council
  | keyof Gateway
  | keyof Otel
  | keyof Inspector
  | keyof AiSdk
  | keyof FleetPackage
  | KeyOf<Session | Turn | Pool | import("hawser").Query | import("hawser").WarmQuery>
  | KeyOf<import("hawser/providers").ClaudeCliProvider>
  | KeyOf<import("hawser/providers").ClaudeCodeProvider>
  | KeyOf<import("hawser/testing").SimulatedModel | import("hawser/testing").FakeCli>
  | KeyOf<import("hawser/testing").Recorder | import("hawser/testing").Replay>
  | KeyOf<import("hawser").SessionStore | import("hawser").ToolExtra>;
`;

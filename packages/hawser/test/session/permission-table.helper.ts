import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { isHawserError } from "../../src/base/index.js";
import type { CanUseTool, Options } from "../../src/options/index.js";
import { openSession, type Session } from "../../src/session/index.js";
import { type ReplyInput, toolUse } from "../../src/testing/index.js";
import { isMessage, isSystem, type PermissionMode } from "../../src/wire/index.js";
import { CLIS } from "../support/cli.js";
import { world } from "../support/world.js";
import { type Decider, MODES, SETUPS, type Setup } from "./permissions.helper.js";

/** What became of the two calls that one decider decided, on one CLI, in one mode. */
export interface Cell {
  readonly decider: Decider;
  readonly cli: string;
  readonly column: string;
  readonly outcome: string;
}

/**
 * The modes of the two sessions that one setup needs. `bypassPermissions` must be allowed from the
 * start, and allowing it changes plan mode and no other mode.
 */
export const PARTS: readonly (readonly PermissionMode[])[] = [
  MODES.filter((mode) => mode !== "bypassPermissions"),
  ["plan", "bypassPermissions"],
];

const COLUMNS: readonly string[] = [...MODES, "plan, bypass allowed"];

/** Opens one session in which the model calls both tools for each decider, one turn for each mode. */
export async function tryAll(
  { options, deciders }: Setup,
  modes: readonly PermissionMode[],
  cli: (typeof CLIS)[number],
  isTried: (decider: Decider, mode: PermissionMode) => boolean = () => true,
): Promise<Cell[]> {
  const place = await world(cli.path, [], { extra: { IS_SANDBOX: "1" } });
  let next: ReplyInput = "done";
  const play = () => {
    const reply = next;
    next = "done";
    return reply;
  };
  place.model.add({ always: play });
  const denied: string[] = [];
  const skips = modes.includes("bypassPermissions");
  const session = await openSession({
    ...place.options,
    ...options,
    ...noting(denied, options),
    ...(skips ? { allowDangerouslySkipPermissions: true } : {}),
  });
  const cells: Cell[] = [];
  for (const mode of modes) {
    const column = skips && mode === "plan" ? "plan, bypass allowed" : mode;
    if (!(await accepts(session, mode))) {
      for (const decider of deciders) {
        cells.push({ decider, cli: cli.name, column, outcome: NOT_SUPPORTED });
      }
      continue;
    }
    for (const turn of turnsOf(deciders.filter((decider) => isTried(decider, mode)))) {
      next = turn.flatMap(({ key }) => calls(place.cwd, `${key}.${mode}`));
      const tried: unknown[] = [];
      for await (const message of session.send("Try it.")) {
        if (isSystem(message, "init")) expect(message.permissionMode).toBe(mode);
        if (isMessage(message, "assistant")) tried.push(...message.message.content);
      }
      expect(tried.filter((it) => (it as { type: string }).type === "tool_use")).toHaveLength(
        2 * turn.length,
      );
      for (const decider of turn) {
        const outcome = outcomeOf(join(place.cwd, `${decider.key}.${mode}`));
        cells.push({ decider, cli: cli.name, column, outcome });
      }
    }
  }
  await session.close();
  expect(denied.filter((file) => existsSync(join(place.cwd, file)))).toEqual([]);
  return cells;
}

/** Hawser refuses a mode that this CLI would accept and not keep. */
async function accepts(session: Session, mode: PermissionMode): Promise<boolean> {
  try {
    await session.setPermissionMode(mode);
    return true;
  } catch (error) {
    if (!isHawserError(error, "unsupported_by_cli")) throw error;
    return false;
  }
}

const NOT_SUPPORTED = "not supported";

function turnsOf(deciders: readonly Decider[]): (readonly Decider[])[] {
  const together = deciders.filter(({ alone }) => !alone);
  const turns = [together, ...deciders.filter(({ alone }) => alone).map((one) => [one])];
  return turns.filter(({ length }) => length > 0);
}

/** The callback, which also notes the name of each file that it did not allow. */
function noting(denied: string[], { canUseTool }: Options): Options {
  if (canUseTool === undefined) return {};
  const noted: CanUseTool = async (tool, input, context) => {
    const file = /[a-z-]+\.[a-zA-Z]+\.(?:bash|write)/.exec(JSON.stringify(input))?.[0] ?? "";
    denied.push(file);
    const result = await canUseTool(tool, input, context);
    if (result?.behavior === "allow") denied.splice(denied.indexOf(file), 1);
    return result;
  };
  return { canUseTool: noted };
}

function calls(cwd: string, name: string) {
  return [
    // In a shell of its own, because some modes allow a plain `touch` as an edit of a file.
    toolUse("Bash", { command: `sh -c 'touch ${name}.bash'`, description: "d" }),
    toolUse("Write", { file_path: join(cwd, `${name}.write`), content: "x" }),
  ];
}

function outcomeOf(file: string): string {
  const [bash, write] = ["bash", "write"].map((tool) =>
    existsSync(`${file}.${tool}`) ? "ran" : "refused",
  );
  return bash === write ? `${bash}` : `Bash ${bash}, Write ${write}`;
}

export async function inLanes<T>(lanes: number, jobs: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  const left = [...jobs.entries()];
  const lane = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      results[next[0]] = await next[1]();
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

export function table(cells: readonly Cell[]): string {
  const rows = SETUPS.flatMap(({ deciders }) => deciders).flatMap((decider) => {
    const outcomes = (cli: string) =>
      COLUMNS.map(
        (column) =>
          cells.find((it) => it.decider === decider && it.cli === cli && it.column === column)
            ?.outcome,
      );
    const [newest = [], older = []] = CLIS.map(({ name }) => outcomes(name));
    const isSame = older.every((outcome, i) => [newest[i], NOT_SUPPORTED].includes(outcome));
    return isSame
      ? [`| ${decider.name} | both | ${newest.join(" | ")} |`]
      : CLIS.map(({ name }) => `| ${decider.name} | ${name} | ${outcomes(name).join(" | ")} |`);
  });
  return [
    `| who decides | CLI | ${COLUMNS.join(" | ")} |`,
    `|---|---|${COLUMNS.map(() => "---|").join("")}`,
    ...rows,
  ].join("\n");
}

const PAGE = new URL("../../../../docs/permissions.md", import.meta.url);
const BETWEEN = /(?<=<!-- table: begin -->\n)[\s\S]*?(?=\n<!-- table: end -->)/;

/** `UPDATE_TABLE=1` writes the table into the page instead. */
export async function matchesPage(text: string): Promise<void> {
  const page = await readFile(PAGE, "utf8");
  if (process.env["UPDATE_TABLE"] === "1")
    await writeFile(
      PAGE,
      page.replace(BETWEEN, () => text),
    );
  else expect(BETWEEN.exec(page)?.[0]).toBe(text);
}

/** The outcome that the table in docs/permissions.md gives for a cell. */
export async function outcomeOnPage({ decider, cli, column }: Cell): Promise<string | undefined> {
  const rows = (BETWEEN.exec(await readFile(PAGE, "utf8"))?.[0] ?? "").split("\n").map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((field) => field.trim()),
  );
  const row = rows.find(([name, on]) => name === decider.name && (on === "both" || on === cli));
  return row?.[2 + COLUMNS.indexOf(column)];
}

/** The cells in which a decider that must refuse did not do so. */
export function brokenGuards(cells: readonly Cell[]): object[] {
  return cells
    .filter(({ decider }) => decider.guards)
    .filter(({ outcome }) => outcome !== "refused" && outcome !== NOT_SUPPORTED)
    .map(({ decider, ...cell }) => ({ ...cell, decider: decider.name }));
}

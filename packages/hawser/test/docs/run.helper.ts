import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { node22 } from "../../../../tools/node-22.js";
import * as testing from "../../src/testing/index.js";
import { BUILT } from "../support/built.js";
import { NEWEST_CLI } from "../support/cli.js";
import { PACKAGE, REPOSITORY } from "../support/folders.js";
import { type Block, blocksOf } from "./page.helper.js";

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What the model was not asked for, or asked for in vain. */
  readonly script: string;
}

/**
 * Runs a block as it stands, as a program of its own, in a world of its own: the real CLI, and a
 * model that says what the note `replies` before the block has, or always the same. Blocks of the
 * same page that begin with the name of a file lie beside it.
 */
export async function runBlock(block: Block, machine: Machine = {}): Promise<Run> {
  const model = await testing.SimulatedModel.start({ replies: repliesFor(block) });
  const world = await testing.isolatedEnv({ baseUrl: model.url });
  try {
    const [program, file] = lay(block, world.cwd, machine);
    // Postgres does not run as root, and another user must reach the folder of its database.
    if (usesFleet(block)) chmodSync(dirname(world.cwd), 0o711);
    const cli = { HAWSER_CLI: needsNoCli(block) ? "/nowhere" : NEWEST_CLI };
    const env = { ...world.env, ...(machine.hasNoCli ? { PATH: pathWithoutCli(block) } : cli) };
    const run = await withDatabase(block, world.cwd, (database) =>
      execute(program, file, { cwd: world.cwd, env: { ...env, ...database } }),
    );
    return { ...run, script: scriptOf(model) };
  } finally {
    await world.dispose();
    await model.close().catch(() => {}); // What it would say, `script` says.
  }
}

/** Starts a Postgres for a block that reads DATABASE_URL. */
async function withDatabase<T>(
  { code }: Block,
  folder: string,
  work: (env: Record<string, string>) => Promise<T>,
): Promise<T> {
  if (!code.includes("DATABASE_URL")) return await work({});
  const server = spawn(node22(), [PRIVATE_POSTGRES, join(folder, "postgres")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(server, "exit");
  try {
    const [line] = await Promise.race([once(server.stdout, "data"), exited]);
    return await work({ DATABASE_URL: String(line).trim() });
  } finally {
    server.stdin.end();
    await exited;
  }
}

const PRIVATE_POSTGRES = fileURLToPath(new URL("./private-postgres.js", import.meta.url));

export interface Machine {
  /** No variable names a CLI, none is on PATH, and no package brings one. */
  readonly hasNoCli?: boolean;
}

/** A JavaScript expression that may use what `hawser/testing` exports. */
function repliesFor({ notes }: Block): testing.ReplyScript {
  const source = notes.get("replies");
  if (source === undefined) return testing.always("A bowline.");
  const names = Object.keys(testing);
  const values = Object.values(testing);
  return new Function(...names, `return (${source});`)(...values) as testing.ReplyScript;
}

/** Puts the package, a project to work on and the files of the page into a folder. */
function lay(block: Block, cwd: string, machine: Machine): [program: string, file: string] {
  const hawser = join(cwd, "node_modules", "hawser");
  mkdirSync(join(cwd, "node_modules"));
  if (machine.hasNoCli) {
    // A copy, because beside the real one the CLI is installed.
    mkdirSync(hawser);
    cpSync(join(PACKAGE, "package.json"), join(hawser, "package.json"));
    cpSync(BUILT, join(hawser, "dist"), { recursive: true });
  } else symlinkSync(PACKAGE, hawser);
  for (const name of LIBRARIES) {
    symlinkSync(join(REPOSITORY, "node_modules", name), join(cwd, "node_modules", name));
  }
  const project = join(cwd, "project");
  mkdirSync(project);
  for (const [name, text] of Object.entries(PROJECT)) writeFileSync(join(project, name), text);

  for (const other of blocksOf(block.page)) {
    const name = fileNameOf(other);
    if (name !== undefined) writeFileSync(join(cwd, name), sourceOf(other, project));
  }
  const file = fileNameOf(block) ?? (block.language === "sh" ? "block.sh" : "block.mjs");
  writeFileSync(join(cwd, file), sourceOf(block, project));
  return [block.language === "sh" ? "sh" : nodeFor(block), file];
}

function nodeFor(block: Block): string {
  return usesFleet(block) ? node22() : process.execPath;
}

/** The private Postgres of a fleet is started with tools of the system. No CLI is installed beside these. */
function pathWithoutCli(block: Block): string {
  return usesFleet(block) ? "/usr/bin:/bin" : "/nowhere";
}

function usesFleet({ code }: Block): boolean {
  return /from "@hawser\/fleet"/.test(code);
}

const LIBRARIES = [
  "zod",
  "valibot",
  "@valibot",
  "@modelcontextprotocol",
  "@hawser",
  "ai",
  "@ai-sdk",
  "@opentelemetry",
  "pg",
];

const PROJECT = {
  "package.json": '{ "name": "knots", "type": "module" }\n',
  "README.md": "# Knots\n\nTODO: say what they are.\n",
  "knots.js": 'export const knots = ["bowline", "sheet bend"]; // TODO: more\n',
  "knot.png": Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR4nGNwaDiAFTEMLQkAYvNgAXSglMMAAAAASUVORK5CYII=",
    "base64",
  ),
};

/** A `.mts` file is compiled to `.mjs`, because Node 20 does not run TypeScript. */
function fileNameOf({ code }: Block): string | undefined {
  return /^(?:\/\/|#) ([\w-]+\.(?:mjs|mts|sh))\b/.exec(code)?.[1]?.replace(/\.mts$/, ".mjs");
}

function sourceOf({ language, code }: Block, project: string): string {
  const source = code.replaceAll("/path/to/project", project);
  if (language !== "ts") return source;
  const { ESNext } = ts.ModuleKind;
  const compilerOptions = { module: ESNext, target: ts.ScriptTarget.ES2022 };
  return ts.transpileModule(source, { compilerOptions }).outputText;
}

/** What only a fake or a recording answers must run where no CLI is installed. */
export function needsNoCli({ code }: Block): boolean {
  return /\b(fakeCli|replay)\(/.test(code) && !/\b(record|SimulatedModel\.start)\(/.test(code);
}

type Place = { readonly cwd: string; readonly env: NodeJS.ProcessEnv };

/** In a process group of its own: whatever a block may kill, it is not the tests. */
async function execute(program: string, file: string, place: Place): Promise<Omit<Run, "script">> {
  const child = spawn(program, [file], {
    ...place,
    detached: true,
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { code: typeof code === "number" ? code : -1, stdout, stderr };
}

/** The longest that was seen, on a machine with much else to do, is 6 s. */
const LIMIT_MS = 90_000;

function scriptOf(model: testing.SimulatedModel): string {
  try {
    model.assertDone();
    return "";
  } catch (error) {
    return String(error);
  }
}

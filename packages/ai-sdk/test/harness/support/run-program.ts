import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isAlive, until } from "../../../../hawser/test/support/proc.js";
import type { HarnessWorld } from "./harness-world.js";
import type { Life } from "./two-lives.js";

/** What `two-lives.ts` prints in its first life. */
export interface FirstLife {
  readonly sessionId: string;
  readonly state: unknown;
  /** The processes of the CLI. */
  readonly pids: readonly number[];
  readonly types: readonly string[];
}

/** What `two-lives.ts` prints in its second life. */
export interface SecondLife {
  readonly text: string;
  readonly types: readonly string[];
  readonly isResume: boolean;
  /** How many processes of the CLI are left. */
  readonly left: number;
}

/** The input of `two-lives.ts` for its first life in this world. */
export function lifeIn({ ai }: HarnessWorld): Life {
  const { cwd = "", ...cli } = ai.cliOptions;
  return { cli, folder: cwd };
}

/** Waits until none of the processes is left. */
export async function allGone(pids: readonly number[]): Promise<void> {
  await until(() => pids.every((pid) => !isAlive(pid)));
}

/** Runs a TypeScript module of this folder in a process of its own. Its input is JSON, and so is its output. */
export async function runProgram(name: string, input: unknown): Promise<unknown> {
  const place = fileURLToPath(new URL(`./${name}`, import.meta.url));
  const vite = pathToFileURL(fileURLToPath(import.meta.resolve("vite"))).href;
  const source = `
    const { runnerImport } = await import(${JSON.stringify(vite)});
    await runnerImport(${JSON.stringify(place)}, { configFile: false, logLevel: "error" });
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source]);
  child.stdin.end(JSON.stringify(input));
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await once(child, "close")) as [number | null];
  const [out, err] = await output;
  const line = out.trim().split("\n").at(-1) ?? "";
  if (code !== 0 || line === "") throw new Error(`The program ended with ${code}: ${err}${out}`);
  return JSON.parse(line);
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("./run.js", import.meta.url));

export const SEED: string = process.env["HAWSER_SEED"] ?? "6";

/** What a run of the chaos suite came to. */
export interface Told {
  readonly code: number | null;
  /** The whole output, with the seed, so that the run can be repeated. */
  readonly said: string;
  readonly runs: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

/** Runs `run.js`; the whole product is `npm run chaos`. */
export async function chaos(...args: string[]): Promise<Told> {
  const run = spawn(process.execPath, [PROGRAM, `--seed=${SEED}`, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said, [code]] = await Promise.all([text(run.stdout), once(run, "exit")]);
  const told = JSON.parse(said.slice(said.indexOf("\n{"))) as Omit<Told, "code" | "said">;
  return { code: code as number | null, said, ...told };
}

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { nativeCli } from "../../../../tools/native-cli.js";
import type { AiWorld } from "./ai-world.js";

/** A program that runs in the environment of a world. */
export interface RunningProgram {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<{
    readonly code: number | null;
    readonly stdout: string;
    readonly stderr: string;
  }>;
}

/** Runs a program of the folder examples. */
export function runExample(
  world: AiWorld,
  name: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): RunningProgram {
  const file = fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));
  return runProgram(world, file, args, env);
}

export function runProgram(
  world: AiWorld,
  file: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): RunningProgram {
  const child = spawn(process.execPath, [file, ...args], {
    cwd: world.place.cwd,
    env: { ...world.place.env, HAWSER_CLI: nativeCli("@anthropic-ai/claude-code"), ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]).then(([stdout, stderr, [code]]) => ({ code, stdout, stderr }));
  return { child, ended };
}

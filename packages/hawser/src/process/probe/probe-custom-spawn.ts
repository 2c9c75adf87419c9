import type { Options } from "../../options/index.js";
import type { CliProcess } from "../cli-process.js";
import type { CliLocation } from "../locate/locate-cli.js";
import { prepare } from "../prepare/prepare.js";
import { spawnCli } from "../spawn/spawn-cli.js";
import { LONGEST_ANSWER, readAnswer, type VersionProbe } from "./probe-version.js";

/**
 * Asks the CLI that the caller's own function starts for its version. The function is given what a call
 * would give it, with other arguments, so that the answer is true for calls. Nothing is kept: what is
 * behind the function may change without a sign of it here.
 */
export async function probeCustomSpawn(
  options: Options,
): Promise<{ readonly location: CliLocation; readonly probe: VersionProbe }> {
  const prepared = await prepare(options);
  const { location, invocation } = prepared;
  const script = location.script ? [...(options.executableArgs ?? []), location.path] : [];
  const asking = { ...invocation, argv: [...script, "-v"], files: [] };
  const process = await spawnCli({ ...prepared, invocation: asking });
  const limitMs = options.timeouts?.bootMs ?? LIMIT_MS;
  return { location, probe: await answerOf(process, limitMs) };
}

/** As long as the start of a call may take: a container may have to be started first. */
const LIMIT_MS = 60_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

async function answerOf(process: CliProcess, limitMs: number): Promise<VersionProbe> {
  let text = "";
  let late = false;
  process.stdout.on("data", (chunk: Buffer) => {
    if (text.length < LONGEST_ANSWER) text += chunk.toString();
  });
  // The question has no input, and a program that waits for its input must not wait here.
  process.stdin.end();
  const release = process.hold();
  const timer = setTimeout(
    () => {
      late = true;
      void process.kill();
    },
    Math.min(limitMs, LONGEST_TIMER_MS),
  );
  const { code } = await process.exited;
  clearTimeout(timer);
  release();
  return late
    ? { text: `no answer within ${limitMs} ms`, failed: true }
    : readAnswer(text, process.stderrTail, code);
}

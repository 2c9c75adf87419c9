import { LONGEST_TIMER_MS } from "../../base/index.js";
import type { Options } from "../../options/index.js";
import type { CliProcess } from "../cli-process.js";
import type { CliLocation } from "../locate/locate-cli.js";
import { prepare } from "../prepare/prepare.js";
import { spawnCli } from "../spawn/spawn-cli.js";
import { LONGEST_ANSWER, readAnswer, type VersionProbe } from "./probe-version.js";

/**
 * Asks the CLI that a custom spawn function starts for its version. The function gets the same
 * request as in a call, with other arguments, so that the answer is true for calls. The answer is
 * not kept, because the function may start another CLI the next time.
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

/** As long as the start of a call may take, because a container may have to be started first. */
const LIMIT_MS = 60_000;

async function answerOf(process: CliProcess, limitMs: number): Promise<VersionProbe> {
  let text = "";
  let late = false;
  process.stdout.on("data", (chunk: Buffer) => {
    if (text.length < LONGEST_ANSWER) text += chunk.toString();
  });
  // A program that waits for the end of its input must not wait here.
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

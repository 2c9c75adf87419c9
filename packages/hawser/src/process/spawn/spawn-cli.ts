import { faultReporter, HAWSER_VERSION, HawserError } from "../../base/index.js";
import { CliProcess, type ProcessOwner } from "../cli-process.js";
import { newMarker, withMarker } from "../end/host-identity.js";
import { requireWatchdog } from "../end/watchdog.js";
import type { Prepared } from "../prepare/prepare.js";
import { PrivateFolder } from "../temporary/private-folder.js";
import type { Child } from "./child.js";
import { startLocal } from "./local-child.js";
import { spawnError } from "./spawn-error.js";

/** Starts the prepared process. Resolves when it runs, before any byte is sent to it. */
export async function spawnCli(prepared: Prepared): Promise<CliProcess> {
  const { invocation, user, log, trace, location, renewWithinMs } = prepared;
  if (renewWithinMs !== undefined) requireWatchdog("renewWithinMs");
  const marker = newMarker();
  const folder = new PrivateFolder(invocation.files);
  await folder.write(user);
  try {
    trace?.("spawn", {
      file: invocation.file,
      argv: invocation.argv,
      cwd: invocation.cwd,
      env: Object.keys(invocation.env).sort(),
      hawser: HAWSER_VERSION,
      cli: prepared.versionText,
      node: process.version,
      platform: `${process.platform}-${process.arch}`,
    });
    const child = await start(prepared, marker);
    log.info("spawn", { pid: child.pid, cli: location.path, version: prepared.versionText });
    return new CliProcess({
      child,
      cliPath: location.path,
      marker,
      folder,
      graceMs: prepared.graceMs,
      renewWithinMs,
      owner: ownerOf(prepared),
    });
  } catch (error) {
    // A failure to remove the folder must not hide why the process did not start.
    await folder.remove().catch(() => {});
    if (error instanceof HawserError) throw error;
    const { file, cwd } = invocation;
    throw spawnError(error, { file, cwd, facts: prepared.facts, mask: prepared.mask });
  }
}

/** The owner for whom the process was prepared. */
export function ownerOf(prepared: Prepared): ProcessOwner {
  return {
    log: prepared.log,
    onStderr: (line) => {
      prepared.trace?.("stderr", line);
      callStderr(prepared, line);
    },
  };
}

async function start(prepared: Prepared, marker: string): Promise<Child> {
  const { invocation, customSpawn } = prepared;
  const env = withMarker(invocation.env, marker);
  if (customSpawn === undefined) return startLocal(prepared, env);
  // Loaded on demand, because few programs start the CLI by a function of their own.
  const { startCustom } = await import("./start-custom.js");
  return startCustom(customSpawn, prepared, env);
}

function callStderr({ onStderr, keepsStderrBlanks, log, mask }: Prepared, line: string): void {
  if (onStderr === undefined) return;
  const report = faultReporter(log, mask);
  const threw = (error: unknown) => report(onStderr, "the stderr callback threw", error);
  try {
    const told: unknown = onStderr(keepsStderrBlanks ? line : line.trimEnd());
    if (told instanceof Promise) told.catch(threw);
  } catch (error) {
    threw(error);
  }
}

import type { SessionOptions } from "hawser";
import type { Worker, WorkOptions } from "../worker/worker.js";
import { countOf } from "./amounts.js";
import { checkCwd } from "./check-cwd.js";
import { loadProfiles, type ProfilesModule } from "./load-profiles.js";
import { jsonLogger } from "./log-lines.js";
import { type FleetPlace, withFleet } from "./open-place.js";
import { type CommandShell, printJson } from "./shell.js";

export interface WorkCommand
  extends Pick<
    WorkOptions,
    "slots" | "labels" | "name" | "holdMs" | "approvalTimeoutMs" | "drainMs"
  > {
  readonly place: FleetPlace;
  /** The path of the module with the profiles. */
  readonly profiles?: string;
  /** Where all runs work. */
  readonly cwd?: string;
}

/** `hawser worker`: works on runs until it is told to end by SIGTERM or Ctrl-C. */
export async function work(command: WorkCommand, shell: CommandShell): Promise<number> {
  const { place, profiles, cwd, ...options } = command;
  checkCwd(cwd);
  // Before the database is opened, so that a mistake in the module is told at once.
  const loaded = profiles === undefined ? undefined : await loadProfiles(profiles);
  return withFleet(place, shell, "create", async (fleet) => {
    const own = await ownOptions(loaded, place, shell);
    const worker = await fleet.work({
      ...own,
      ...options,
      ...(cwd === undefined ? {} : { workspace: async () => ({ cwd }) }),
      logger: jsonLogger((line) => void process.stdout.write(line)),
    });
    announce(worker, Object.keys(own.profiles), command, shell);
    return untilSignal(worker, (text) => shell.terminal.warn(text));
  });
}

/** The profiles of the module, or one of the worker itself. With a simulated model, each uses its CLI. */
async function ownOptions(
  loaded: ProfilesModule | undefined,
  { isOffline }: FleetPlace,
  shell: CommandShell,
): Promise<ProfilesModule> {
  const { profiles, ...functions } = loaded ?? { profiles: { default: {} } };
  if (!isOffline && shell.cliPath === undefined) return { profiles, ...functions };
  const cli: SessionOptions = isOffline
    ? (await shell.openWorld()).options
    : { cliPath: shell.cliPath };
  const entries = Object.entries(profiles).map(([name, profile]) => [
    name,
    typeof profile === "function"
      ? async (run: Parameters<typeof profile>[0]) => ({ ...(await profile(run)), ...cli })
      : { ...profile, ...cli },
  ]);
  return { profiles: Object.fromEntries(entries), ...functions };
}

function announce(
  { name, slots }: Worker,
  profiles: readonly string[],
  { place, labels = ["default"] }: WorkCommand,
  shell: CommandShell,
): void {
  if (shell.isJson) {
    printJson(shell, { event: "working", name, slots, profiles, queues: labels });
    return;
  }
  const where = typeof place.database === "string" ? "the database" : place.database.folder;
  process.stderr.write(
    `hawser worker ${name} serves ${where}: ${countOf(slots, "slot")}; queues: ${labels.join(", ")}; profiles: ${profiles.join(", ")}\n`,
  );
}

/**
 * The first SIGTERM or SIGINT drains the worker, a second one gives back all runs at once, and a third one ends the
 * program without a word to the database. Resolves to the exit code.
 */
async function untilSignal(worker: Worker, note: (text: string) => void): Promise<number> {
  let signals = 0;
  return new Promise((resolve, reject) => {
    const end = (signal: "SIGINT" | "SIGTERM") => {
      signals += 1;
      const code = signal === "SIGINT" ? 130 : 143;
      const leave = (exitCode: number) => {
        process.off("SIGINT", onInt);
        process.off("SIGTERM", onTerm);
        resolve(exitCode);
      };
      if (signals === 1) {
        note("The worker ends as soon as its runs have ended. A second signal ends it now.");
        worker.drain().then(() => leave(signals > 1 ? code : 0), reject);
      } else if (signals === 2) worker.close().then(() => leave(code), reject);
      // The database may be gone. Another host takes over when the lease has run out.
      else process.exit(code);
    };
    const onInt = () => end("SIGINT");
    const onTerm = () => end("SIGTERM");
    process.on("SIGINT", onInt);
    process.on("SIGTERM", onTerm);
  });
}

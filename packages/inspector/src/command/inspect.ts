import { dirname } from "node:path";
import { isHawserError } from "hawser";
import { openBrowser, removeLeftFiles } from "../machine/open-browser.js";
import {
  type InspectOptions,
  type RunningInspect,
  startInspect,
} from "../machine/start-inspect.js";
import { tokenFile } from "../machine/token-file.js";

/** What the command line asks for. */
export interface InspectCommand extends Omit<InspectOptions, "env" | "page"> {
  /** Whether the address has the token that may only look. */
  readonly isReadOnly: boolean;
  readonly opensBrowser: boolean;
  readonly isJson: boolean;
  /** Writes one line for the user. */
  readonly note: (text: string) => void;
}

/** `hawser inspect`: serves until SIGINT or SIGTERM. Resolves to the exit code. */
export async function inspect(command: InspectCommand): Promise<number> {
  await removeLeftFiles(dirname(tokenFile()));
  const server = await startInspect(command);
  // Before the address is printed: whoever reads it may end the command at once.
  const ended = untilSignal();
  const url = server.url(command.isReadOnly ? "read" : "control");
  if (command.isJson) {
    process.stdout.write(`${JSON.stringify({ event: "listening", url, port: server.port })}\n`);
  } else {
    process.stdout.write(`${url}\n`);
    command.note("Programs that call inspector() appear by themselves. Ctrl-C ends the page.");
  }
  if (command.opensBrowser) await openPage(server, command);
  await ended;
  await server.close();
  return 0;
}

async function openPage(server: RunningInspect, command: InspectCommand): Promise<void> {
  try {
    let onLoad: () => void = () => {};
    const loaded = new Promise<void>((resolve) => {
      onLoad = resolve;
    });
    const url = server.urlOnce(command.isReadOnly ? "read" : "control", onLoad);
    const remove = await openBrowser(url, dirname(tokenFile()));
    void loaded.then(remove);
  } catch (error) {
    if (!isHawserError(error)) throw error;
    command.note(`${error.message} ${error.hint}`);
  }
}

/** Resolves when the user or the system ends the command. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => resolve());
  });
}

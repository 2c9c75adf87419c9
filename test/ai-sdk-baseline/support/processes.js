// The processes of the CLI in a place, as the kernel shows them.
import { readFileSync, readlinkSync, realpathSync } from "node:fs";
import { processesIn } from "../../../tools/place.js";

/** The process ids of the CLI itself, without those of its tools. */
export async function cliProcesses({ root, cli }) {
  const file = realpathSync(cli);
  return (await processesIn(root)).filter((pid) => executableOf(pid) === file);
}

export function environmentOf(pid) {
  return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
}

export function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return ""; // It has ended in the meantime.
  }
}

function executableOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return undefined; // It has ended in the meantime.
  }
}

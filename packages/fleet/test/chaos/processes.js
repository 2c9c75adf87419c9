// Processes of a chaos run, as /proc shows them.
import { readdirSync, readFileSync } from "node:fs";
import { MARK } from "./place.js";

/** The processes whose environment carries the mark of this chaos run, without the program itself. */
export function processesWith(mark) {
  return all().filter((pid) => {
    if (pid === process.pid) return false;
    return read(pid, "environ").split("\0").includes(`${MARK}=${mark}`);
  });
}

/** All processes below this one. */
export function descendantsOf(pid) {
  const parents = new Map(all().map((each) => [each, parentOf(each)]));
  const found = [];
  let level = [pid];
  while (level.length > 0) {
    level = [...parents].filter(([, parent]) => level.includes(parent)).map(([child]) => child);
    found.push(...level);
  }
  return found;
}

/** The CLIs below this process. */
export function clisOf(pid) {
  return descendantsOf(pid).filter((each) => {
    const [program = ""] = read(each, "cmdline").split("\0");
    return program.endsWith("/claude") || program === "claude";
  });
}

export function commandOf(pid) {
  return read(pid, "cmdline").replaceAll("\0", " ").trim();
}

function all() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function parentOf(pid) {
  // The name of the program, in parentheses, may contain spaces.
  const fields = read(pid, "stat").split(") ").at(-1)?.split(" ") ?? [];
  return Number(fields[1]);
}

/** Empty for a process that has ended meanwhile. */
function read(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

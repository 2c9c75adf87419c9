// Faults that are planted in a host on purpose, to show that the harness reports them.
import { spawn } from "node:child_process";
import { openSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * What each plant does, and the words of the problem that the harness must report.
 * @type {Readonly<Record<string, { readonly noticed: RegExp, readonly afterCell?: (cell: any) => void,
 *   readonly run?: (cell: any, runCell: any, ...on: any[]) => any, readonly hangLimitMs?: number,
 *   readonly report?: (facts: any) => any }>>}
 */
export const PLANTS = {
  descriptor: { afterCell: () => void openSync("/dev/null", "r"), noticed: /left: descriptor/ },
  timer: { afterCell: () => void setTimeout(() => {}, 40_000), noticed: /left: active Timeout/ },
  listener: { afterCell: () => process.on("SIGUSR2", () => {}), noticed: /left: .*SIGUSR2/ },
  process: { afterCell: () => start("exec sleep 60"), noticed: /left: process/ },
  orphan: { afterCell: () => start("sleep 60 &"), noticed: /outlived the host: sleep 60/ },
  file: {
    afterCell: () => writeFileSync(join(tmpdir(), "hawser-planted"), ""),
    noticed: /temporary file is left: hawser-planted/,
  },
  rejection: {
    afterCell: () => void Promise.reject(new Error("planted")),
    noticed: /unhandled rejection.*planted/,
  },
  exception: {
    afterCell: () => {
      setImmediate(() => {
        throw new Error("planted");
      });
    },
    noticed: /uncaught exception.*planted/,
  },
  warning: {
    afterCell: () => {
      const target = new EventTarget();
      for (let i = 0; i < 11; i += 1) process.on("chaos", () => target);
    },
    noticed: /warning: MaxListenersExceededWarning/,
  },
  hang: {
    run: (cell, runCell, ...on) => ({ ...runCell(cell, ...on), over: new Promise(() => {}) }),
    // Long enough for the call to settle on a busy machine: only its end is missing then.
    hangLimitMs: 20_000,
    noticed: /did not come to its end/,
  },
  swallowed: {
    run: (cell, runCell, ...on) => ({ ...runCell(cell, ...on), outcome: new Promise(() => {}) }),
    hangLimitMs: 3_000,
    noticed: /never settled/,
  },
  code: { report: (facts) => ({ ...facts, outcome: "api_error" }), noticed: /came to api_error/ },
  success: { report: (facts) => ({ ...facts, outcome: "ok" }), noticed: /came to ok instead of/ },
  signal: { report: (facts) => ({ ...facts, signal: "SIGHUP" }), noticed: /ended by SIGHUP/ },
  text: { report: (facts) => ({ ...facts, partialText: "" }), noticed: /lost the partial text/ },
  late: { report: (facts) => ({ ...facts, at: Number.MAX_SAFE_INTEGER }), noticed: /took \d+ ms/ },
  crash: { afterCell: () => process.kill(process.pid, "SIGKILL"), noticed: /the host ended by/ },
};

/** The host's behaviour with some of these faults; `names` are separated by commas. */
export function planted(names = "") {
  const plants = names.split(",").flatMap((name) => PLANTS[name] ?? []);
  const [{ run, hangLimitMs } = {}] = plants.filter((plant) => plant.run !== undefined);
  return {
    run: run ?? ((cell, runCell, ...on) => runCell(cell, ...on)),
    report: (facts) => plants.reduce((told, { report }) => report?.(told) ?? told, facts),
    afterCell: (cell) => {
      for (const { afterCell } of plants) afterCell?.(cell);
    },
    hangLimitMs,
  };
}

function start(command) {
  spawn("sh", ["-c", command], { stdio: "ignore" }).unref();
}

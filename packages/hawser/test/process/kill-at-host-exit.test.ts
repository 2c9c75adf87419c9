import { describe, expect, it } from "vitest";
import { atHostExit } from "../../src/process/end/at-host-exit.js";
import { killAtHostExit } from "../../src/process/end/kill-at-host-exit.js";

/** What happens at the exit of the program, without the exit. */
function exit(): void {
  const own = process.listeners("exit").filter(({ name }) => name === "cleanUpAll");
  for (const listener of own) listener.call(process, 0);
}

function recordedTree(name: string, log: string[]) {
  return {
    marker: undefined,
    killRoot: () => {
      log.push(`kill ${name}`);
      if (name === "bad") throw new Error("cannot be killed");
      return [];
    },
    removeFiles: () => void log.push(`remove ${name}`),
  };
}

describe("killAtHostExit()", () => {
  it("kills all trees before any file is removed, also if one cannot be killed", () => {
    const log: string[] = [];
    const release = [
      killAtHostExit(recordedTree("one", log)),
      atHostExit(() => void log.push("folder of two")),
      killAtHostExit(recordedTree("bad", log)),
      killAtHostExit(recordedTree("two", log)),
    ];
    const kept = killAtHostExit(recordedTree("ended", log));
    kept();
    exit();
    for (const each of release) each();
    expect(log).toEqual([
      "kill two",
      "kill bad",
      "kill one",
      "remove two",
      "remove bad",
      "remove one",
      "folder of two",
    ]);
    exit();
    expect(log).toHaveLength(7);
  });
});

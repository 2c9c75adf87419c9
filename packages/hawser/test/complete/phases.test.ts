import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { HawserError } from "../../src/base/index.js";
import { complete, stream } from "../../src/complete/index.js";
import type { TimeoutOptions } from "../../src/options/index.js";
import { processes } from "../../src/process/index.js";
import { always, hang, type Reply, reply, toolUse } from "../../src/testing/index.js";
import { isMessage } from "../../src/wire/index.js";
import { clisInTurn } from "../support/cli.js";
import { stillAlive, treeOf, until } from "../support/proc.js";
import { transcriptIn } from "../support/transcript.js";
import { world } from "../support/world.js";
import { failure } from "./failure.helper.js";

const IDLE_MS = 2000;
/** Longer than the idle limit, so that work of this length fails if it counts as silence. */
const LONG_MS = 2.5 * IDLE_MS;
const BASH = { tools: ["Bash"], allowedTools: ["Bash"] };

function bash(command: string) {
  return toolUse("Bash", { command, description: "d" });
}

/** In steps, because the newest CLI refuses to run a bare `sleep`. */
const SLOW = bash("for i in 1 2 3 4 5; do sleep 1; done; echo slow-done");
const ENDLESS = bash("echo $$ > number; mv number begun; while :; do sleep 1; done");

describe.each(clisInTurn())("the limit for silence, on the real CLI $name", ({ path }) => {
  it("does not run while a tool does, and runs again afterwards", async () => {
    const { model, options } = await world(path, [["I run it. ", SLOW], hang("It said")]);
    const error = await failure("x", { ...options, ...BASH, timeouts: { idleMs: IDLE_MS } });
    expect(error).toMatchObject({
      code: "timeout",
      phase: "idle",
      partialText: "I run it. It said",
    });
    expect(model.calls.at(-1)?.toolResults[0]?.text).toBe("slow-done");
  });

  it("does not run while an approval is pending, and runs again afterwards", async () => {
    const { model, options } = await world(path, [bash("touch allowed"), hang("It said")]);
    const error = await failure("x", {
      ...options,
      tools: ["Bash"],
      timeouts: { idleMs: IDLE_MS },
      canUseTool: async () => {
        await sleep(LONG_MS);
        return { behavior: "allow" };
      },
    });
    expect(error).toMatchObject({ code: "timeout", phase: "idle", partialText: "It said" });
    expect(existsSync(join(options.cwd ?? "", "allowed"))).toBe(true);
    expect(model.calls.length).toBe(2);
  });
});

describe.each(clisInTurn())("the limit of the whole call, on the real CLI $name", ({ path }) => {
  it("goes on while a tool runs, and ends that tool too", async () => {
    const { cwd, options } = await world(path, [["I run it. ", ENDLESS]]);
    const failed = failure("x", { ...options, ...BASH, timeouts: { totalMs: 15_000 } });
    await until(() => existsSync(join(cwd, "begun")));
    const tool = treeOf(Number(readFileSync(join(cwd, "begun"), "utf8")));
    expect(tool.length).toBeGreaterThan(0);
    expect(await failed).toMatchObject({
      code: "timeout",
      phase: "total",
      partialText: "I run it. ",
    });
    expect(stillAlive(tool)).toEqual([]);
  });

  it("goes on while an approval is pending, which is then withdrawn", async () => {
    const { options } = await world(path, [bash("touch allowed")]);
    const withdrawn: boolean[] = [];
    const error = await failure("x", {
      ...options,
      tools: ["Bash"],
      timeouts: { totalMs: 15_000 },
      canUseTool: (_tool, _input, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            withdrawn.push(true);
            reject(signal.reason);
          });
        }),
    });
    expect(error).toMatchObject({ code: "timeout", phase: "total" });
    expect(withdrawn).toEqual([true]);
    expect(existsSync(join(options.cwd ?? "", "allowed"))).toBe(false);
  });

  it("covers all runs of a call that goes on by itself", async () => {
    const round = () => reply(["Still at it. ", bash("echo x")], { delayMs: 1000 });
    const { options } = await world(path, always(round));
    const call = stream("x", {
      ...options,
      ...BASH,
      maxTurns: 1,
      autoResume: 1000,
      timeouts: { totalMs: 30_000 },
    });
    let runs = 1;
    const read = async () => {
      for await (const message of call) if (isMessage(message, "hawser")) runs += 1;
    };
    await expect(read()).rejects.toMatchObject({ code: "timeout", phase: "total" });
    expect(runs).toBeGreaterThan(1);
    const { partialText = "" } = (await call.completion.catch((error) => error)) as HawserError;
    expect(partialText.split("Still at it. ").length - 1).toBeGreaterThanOrEqual(runs - 1);
    expect(processes()).toEqual([]);
  });
});

it.each(clisInTurn())(
  "the limit for silence holds in each run of a call, on the real CLI $name",
  async ({ path }) => {
    const { options } = await world(path, [["First. ", bash("echo x")], hang("Second")]);
    const error = await failure("x", {
      ...options,
      ...BASH,
      maxTurns: 1,
      autoResume: 3,
      timeouts: { idleMs: IDLE_MS },
    });
    expect(error).toMatchObject({
      code: "timeout",
      phase: "idle",
      partialText: "First. \n\nSecond",
      resumable: true,
    });
  },
);

describe.each(clisInTurn())("a session that is kept, on the real CLI $name", ({ path }) => {
  it.each<[string, Reply, TimeoutOptions]>([
    ["firstMessage", hang(), { firstMessageMs: 2000 }],
    ["idle", hang("Half an answer"), { idleMs: 2000 }],
    ["total", hang("Half an answer"), { totalMs: 15_000 }],
  ])("can be resumed after the limit of the phase %s", async (phase, silence, timeouts) => {
    const { model, options } = await world(path, [silence, "I remember."]);
    const kept = { ...options, persistSession: true };
    const error = await failure("Remember the splice.", { ...kept, timeouts });
    expect(error).toMatchObject({ code: "timeout", phase, resumable: true });
    const resume = String(error.sessionId);
    const next = await complete("What was it?", { ...kept, resume });
    expect(next).toMatchObject({ text: "I remember.", sessionId: resume });
    const seen = JSON.stringify(model.calls.at(-1)?.body);
    expect(seen).toContain("Remember the splice.");
    expect(seen.includes("Half an answer")).toBe(phase !== "firstMessage");
  });

  it("can be resumed after its process was killed while a tool ran", async () => {
    const place = await world(path, [["I run it. ", ENDLESS], "I remember."]);
    const { cwd, configDir, model, options } = place;
    const kept = { ...options, ...BASH, persistSession: true };
    const failed = failure("Remember the splice.", kept);
    await until(() => existsSync(join(cwd, "begun")));
    await until(() => transcriptIn(configDir).includes("Remember the splice."));
    process.kill(processes()[0]?.pid ?? 0, "SIGKILL");
    const { sessionId, ...error } = await failed;
    expect(error).toMatchObject({ code: "process_exited", signal: "SIGKILL", resumable: true });
    const next = await complete("What was it?", { ...kept, resume: String(sessionId) });
    expect(next).toMatchObject({ text: "I remember.", sessionId });
    expect(JSON.stringify(model.calls.at(-1)?.body)).toContain("Remember the splice.");
  });
});

describe.each(clisInTurn())("an API that says nothing, on the real CLI $name", ({ path }) => {
  it.each([0, 1])("is given up by the CLI itself after %i retries", async (cliRetries) => {
    const { model, options } = await world(path, always(hang()));
    const retry = { cliRetries, apiTimeoutMs: 1500 };
    expect(await failure("x", { ...options, retry })).toMatchObject({
      code: "api_error",
      retryable: true,
      message: "Request timed out",
    });
    expect(model.calls.length).toBe(cliRetries + 1);
  });
});

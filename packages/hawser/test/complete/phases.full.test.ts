import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { HawserError } from "../../src/base/index.js";
import { complete, stream } from "../../src/complete/index.js";
import type { TimeoutOptions } from "../../src/options/index.js";
import { always, hang, type Reply, toolUse } from "../../src/testing/index.js";
import { isMessage } from "../../src/wire/index.js";
import { clisInTurn, FULL } from "../support/cli.js";
import { stillAlive, treeOf, until } from "../support/proc.js";
import { transcriptIn } from "../support/transcript.js";
import { failureIn, processesOf, worldsSideBySide } from "./worlds-side-by-side.helper.js";

/** Long enough for a CLI that starts beside four others. */
const IDLE_MS = 3000;
/** Longer than the idle limit, so that work of this length fails if it counts as silence. */
const LONG_MS = 2.5 * IDLE_MS;
const TOTAL_MS = 20_000;
const BASH = { tools: ["Bash"], allowedTools: ["Bash"] };

function bash(command: string) {
  return toolUse("Bash", { command, description: "d" });
}

/** In steps, because the newest CLI refuses to run a bare `sleep`. */
const SLOW = bash("for i in 1 2 3 4 5 6 7 8; do sleep 1; done; echo slow-done");
const ENDLESS = bash("echo $$ > number; mv number begun; while :; do sleep 1; done");

// These tests wait for real limits, so they wait side by side.
describe.concurrent("complete() with timeouts", () => {
  const world = worldsSideBySide();

  describe.each(clisInTurn())("idleMs, on the real CLI $name", ({ path }) => {
    it("pauses while a tool runs and counts again afterwards", async () => {
      const place = await world(path, [["I run it. ", SLOW], hang("It said")]);
      const error = await failureIn(place, "x", { ...BASH, timeouts: { idleMs: IDLE_MS } });
      expect(error).toMatchObject({
        code: "timeout",
        phase: "idle",
        partialText: "I run it. It said",
      });
      expect(place.model.calls.at(-1)?.toolResults[0]?.text).toBe("slow-done");
    });

    it("pauses while canUseTool is pending and counts again afterwards", async () => {
      const place = await world(path, [bash("touch allowed"), hang("It said")]);
      const error = await failureIn(place, "x", {
        tools: ["Bash"],
        timeouts: { idleMs: IDLE_MS },
        canUseTool: async () => {
          await sleep(LONG_MS);
          return { behavior: "allow" };
        },
      });
      expect(error).toMatchObject({ code: "timeout", phase: "idle", partialText: "It said" });
      expect(existsSync(join(place.cwd, "allowed"))).toBe(true);
      expect(place.model.calls.length).toBe(2);
    });

    it("applies to each run of a call with autoResume", async () => {
      const place = await world(path, [["First. ", bash("echo x")], hang("Second")]);
      const error = await failureIn(place, "x", {
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
    });
  });

  describe.each(clisInTurn())("totalMs, on the real CLI $name", ({ path }) => {
    it("counts while a tool runs, and ends the tool too", async () => {
      const place = await world(path, [["I run it. ", ENDLESS]]);
      const failed = failureIn(place, "x", { ...BASH, timeouts: { totalMs: TOTAL_MS } });
      await until(() => existsSync(join(place.cwd, "begun")));
      const tool = treeOf(Number(readFileSync(join(place.cwd, "begun"), "utf8")));
      expect(tool.length).toBeGreaterThan(0);
      expect(await failed).toMatchObject({
        code: "timeout",
        phase: "total",
        partialText: "I run it. ",
      });
      expect(stillAlive(tool)).toEqual([]);
    });

    it("counts while canUseTool is pending, and aborts the signal of canUseTool", async () => {
      const place = await world(path, [bash("touch allowed")]);
      const withdrawn: boolean[] = [];
      const error = await failureIn(place, "x", {
        tools: ["Bash"],
        timeouts: { totalMs: TOTAL_MS },
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
      expect(existsSync(join(place.cwd, "allowed"))).toBe(false);
    });

    it("covers all runs of a call with autoResume", async () => {
      const round = () => ["Still at it. ", bash("echo x")];
      // The limit must end a run that waits: a result that arrives just then would win over the limit.
      const place = await world(path, [round(), round(), hang("Half")]);
      const call = stream("x", {
        ...place.options,
        ...BASH,
        maxTurns: 1,
        autoResume: 1000,
        timeouts: { totalMs: TOTAL_MS },
      });
      let runs = 1;
      const read = async () => {
        for await (const message of call) if (isMessage(message, "hawser")) runs += 1;
      };
      await expect(read()).rejects.toMatchObject({ code: "timeout", phase: "total" });
      expect(runs).toBe(3);
      const { partialText } = (await call.completion.catch((error) => error)) as HawserError;
      expect(partialText).toBe("Still at it. \n\nStill at it. \n\nHalf");
      expect(processesOf(place)).toEqual([]);
    });
  });

  describe.each(clisInTurn())("persistSession: true, on the real CLI $name", ({ path }) => {
    const limits: [string, Reply, TimeoutOptions][] = [
      ["firstMessage", hang(), { firstMessageMs: IDLE_MS }],
      ["idle", hang("Half an answer"), { idleMs: IDLE_MS }],
      ["total", hang("Half an answer"), { totalMs: TOTAL_MS }],
    ];

    it.each(FULL ? limits : limits.slice(0, 2))(
      "leaves a session that can be resumed after the limit of the phase %s",
      async (phase, silence, timeouts) => {
        const place = await world(path, [silence, "I remember."]);
        const kept = { persistSession: true };
        const error = await failureIn(place, "Remember the splice.", { ...kept, timeouts });
        expect(error).toMatchObject({ code: "timeout", phase, resumable: true });
        const resume = String(error.sessionId);
        const next = await complete("What was it?", { ...place.options, ...kept, resume });
        expect(next).toMatchObject({ text: "I remember.", sessionId: resume });
        const seen = JSON.stringify(place.model.calls.at(-1)?.body);
        expect(seen).toContain("Remember the splice.");
        expect(seen.includes("Half an answer")).toBe(phase !== "firstMessage");
      },
    );

    it("leaves a session that can be resumed after SIGKILL during a tool", async () => {
      const place = await world(path, [["I run it. ", ENDLESS], "I remember."]);
      const kept = { ...BASH, persistSession: true };
      const failed = complete("Remember the splice.", { ...place.options, ...kept }).catch(
        (error: unknown) => error as HawserError,
      );
      await until(() => existsSync(join(place.cwd, "begun")));
      await until(() => transcriptIn(place.configDir).includes("Remember the splice."));
      const cli = processesOf(place).find(({ command }) => command.startsWith(path));
      process.kill(cli?.pid ?? Number.NaN, "SIGKILL");
      const { sessionId, ...error } = (await failed) as HawserError;
      expect(error).toMatchObject({ code: "process_exited", signal: "SIGKILL", resumable: true });
      const resume = String(sessionId);
      const next = await complete("What was it?", { ...place.options, ...kept, resume });
      expect(next).toMatchObject({ text: "I remember.", sessionId });
      expect(JSON.stringify(place.model.calls.at(-1)?.body)).toContain("Remember the splice.");
    });
  });

  describe.each(clisInTurn())("retry.apiTimeoutMs, on the real CLI $name", ({ path }) => {
    it("makes the CLI retry a silent API retry.cliRetries times and then fail", async () => {
      const place = await world(path, always(hang()));
      const retry = { cliRetries: 1, apiTimeoutMs: 1500 };
      expect(await failureIn(place, "x", { retry })).toMatchObject({
        code: "api_error",
        retryable: true,
        message: "Request timed out",
      });
      expect(place.model.calls.length).toBe(2);
    });
  });
});

// What interrupts and aborts promise.
import assert from "node:assert/strict";
import { readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { complete, createSdkMcpServer, tool } from "hawser";
import { hang, toolUse } from "hawser/testing";
import { until } from "../place.js";
import { stillAlive, treeOf } from "../process-tree.js";
import { codeOf } from "./answers.js";

/** Hangs after the first words of an answer, unless the prompt says "next". */
const stuck = ({ prompt }) => (prompt.includes("next") ? "ok" : hang("half"));

/** @type {readonly import("../outcome.js").Check[]} */
export const interrupts = [
  {
    id: "interrupt-stream",
    group: "Interrupts",
    title: "`interrupt()` in mid-stream ends the turn, and the session goes on",
    async run(place) {
      const { options, called } = await place.world(stuck);
      const session = await place.session(options);
      const turn = session.send("first");
      await called();
      await session.interrupt();
      const result = await turn.result;
      assert.equal(await session.send("next").text(), "ok");
      return wordsAbout(result);
    },
  },
  {
    id: "interrupt-tool",
    group: "Interrupts",
    title: "`interrupt()` in mid-tool ends the command, and no later call of the turn runs",
    isGuard: true,
    async run(place) {
      const command = "touch started; while [ ! -e go ]; do sleep 0.05; done; touch late";
      const { options, cwd, made } = await place.world(({ prompt, toolResults }) => {
        if (prompt.includes("next")) return "ok";
        if (toolResults.length > 0) return "went on";
        return [
          toolUse("Bash", { command, description: "d" }),
          toolUse("Bash", { command: "touch second", description: "d" }),
        ];
      });
      const session = await place.session({ ...options, allowedTools: ["Bash"] });
      const turn = session.send("first");
      await until(() => made("started"));
      const running = treeOf(session.pid ?? 0).slice(1);
      const shells = running.filter((each) => each.command.includes("started"));
      assert.ok(shells.length > 0, "the command is not below the CLI");
      await session.interrupt();
      const result = await turn.result;
      await until(() => stillAlive(shells).length === 0);
      writeFileSync(join(cwd, "go"), "");
      assert.equal(await session.send("next").text(), "ok");
      assert.equal(made("late"), false, "the command went on after the interrupt");
      assert.equal(made("second"), false, "another command ran after the interrupt");
      return wordsAbout(result);
    },
  },
  {
    id: "interrupt-server-tool",
    group: "Interrupts",
    title: "`interrupt()` aborts a tool of this program",
    async run(place) {
      /** @type {AbortSignal | undefined} */
      let signal;
      const wait = tool("wait", "Waits.", {}, async (_, extra) => {
        signal = /** @type {{ signal?: AbortSignal }} */ (extra).signal;
        await new Promise((resolve) => signal?.addEventListener("abort", resolve));
        return { content: [] };
      });
      const { options } = await place.world(({ prompt }) =>
        prompt.includes("next") ? "ok" : toolUse("mcp__gate__wait"),
      );
      const session = await place.session({
        ...options,
        mcpServers: { gate: createSdkMcpServer({ name: "gate", tools: [wait], alwaysLoad: true }) },
        allowedTools: ["mcp__gate__wait"],
      });
      const turn = session.send("first");
      const running = await until(() => signal);
      await session.interrupt();
      const result = await turn.result;
      assert.equal(await session.send("next").text(), "ok");
      return running.aborted ? wordsAbout(result) : "the tool is not told, and runs to its end";
    },
  },
  {
    id: "cancel-queued",
    group: "Interrupts",
    title: "`interrupt({ cancelQueued: true })`: a waiting prompt never reaches the model",
    isGuard: true,
    async run(place) {
      const { options, called, calls } = await place.world(stuck);
      const session = await place.session(options);
      const first = session.send("first");
      await called();
      const second = session.send("word-two");
      await session.interrupt({ cancelQueued: true });
      const result = await first.result;
      assert.equal(await codeOf(second.result), "aborted");
      assert.equal(await session.send("next").text(), "ok");
      const said = JSON.stringify(calls().map(({ body }) => body));
      assert.ok(!said.includes("word-two"), "the waiting prompt reached the model");
      return wordsAbout(result);
    },
  },
  {
    id: "abort",
    group: "Interrupts",
    title: "an abort signal ends a call at once, and its process",
    async run(place) {
      const { options, called } = await place.world(stuck);
      const controller = new AbortController();
      const call = complete("first", { ...options, signal: controller.signal });
      const code = codeOf(call);
      await called();
      const mine = treeOf(process.pid).filter(({ pid }) => cwdOf(pid) === options.cwd);
      assert.ok(mine.length > 0, "the process was not found");
      controller.abort();
      assert.equal(await code, "aborted");
      await until(() => stillAlive(mine).length === 0);
    },
  },
];

/**
 * Undefined if the result of an interrupted turn is that of the newest CLI.
 * @param {import("hawser").ResultMessage} result
 */
function wordsAbout({ subtype, is_error, terminal_reason }) {
  assert.equal(subtype, "error_during_execution", "the turn did not end as interrupted");
  if (!is_error) return "the result has `is_error: false`; its `subtype` is the same";
  return terminal_reason === undefined ? "the result has no `terminal_reason`" : undefined;
}

/** @param {number} pid */
function cwdOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined; // It has ended in the meantime.
  }
}

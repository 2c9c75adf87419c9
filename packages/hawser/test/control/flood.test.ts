import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { complete } from "../../src/complete/index.js";
import { openLine } from "./line.helper.js";

/** A program that speaks as the CLI does, but answers a prompt with requests of its own without end. */
function floodingCli(request: object): string {
  const folder = mkdtempSync(join(tmpdir(), "hawser-flood-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "claude.mjs");
  writeFileSync(
    path,
    `import { createInterface } from "node:readline";
     if (process.argv.includes("-v")) {
       console.log("2.1.325 (Claude Code)");
       process.exit(0);
     }
     const write = (text) => new Promise((resolve) => {
       if (process.stdout.write(text)) resolve();
       else process.stdout.once("drain", resolve);
     });
     let isFlooding = false;
     const flood = async () => {
       for (let from = 0; ; from += 1000) {
         const ids = Array.from({ length: 1000 }, (_, at) => String(from + at));
         await write(ids.map((request_id) =>
           JSON.stringify({ type: "control_request", request_id, request: ${JSON.stringify(request)} }) + "\\n").join(""));
       }
     };
     createInterface({ input: process.stdin }).on("line", (line) => {
       const message = JSON.parse(line);
       if (message.type === "user" && !isFlooding) {
         isFlooding = true;
         flood();
       }
       if (message.type !== "control_request") return;
       const response = { commands: [], agents: [], models: [] };
       write(JSON.stringify({ type: "control_response",
         response: { subtype: "success", request_id: message.request_id, response } }) + "\\n");
     }).on("close", () => process.exit(0));`,
  );
  chmodSync(path, 0o755);
  return path;
}

describe("complete() with a CLI that floods the line with requests", () => {
  it.each([
    ["of an unknown subtype", { subtype: "x" }],
    ["to an unknown hook", { subtype: "hook_callback", callback_id: "none", input: {} }],
    ["to an unknown MCP server", { subtype: "mcp_message", server_name: "none", message: {} }],
  ])("%s ends with timeout, and the event loop turns", async (_name, request) => {
    let turns = 0;
    const rss = process.memoryUsage().rss;
    const timer = setInterval(() => {
      turns += 1;
    }, 10);
    onTestFinished(() => clearInterval(timer));
    const call = complete("go", {
      cliPath: floodingCli(request),
      closeGraceMs: 500,
      timeouts: { totalMs: 5000 },
    });
    // The flood has no end, so that without a turn of the event loop this never comes.
    await expect(call).rejects.toMatchObject({ code: "timeout", phase: "total" });
    expect(turns).toBeGreaterThan(10);
    expect(process.memoryUsage().rss - rss).toBeLessThan(512 * 1024 ** 2);
  });
});

describe("ControlLine with many requests at once", () => {
  it("answers each of them, and lets a timer fire meanwhile", async () => {
    const line = await openLine(async () => ({ fine: true }));
    let fired = false;
    setTimeout(() => {
      fired = true;
    }, 1);
    for (let at = 0; at < 5000; at++) {
      line.say({ type: "control_request", request_id: `r${at}`, request: { subtype: "x" } });
    }
    const answers = await line.sentUpTo(5000);
    expect(new Set(answers.map(({ response }) => response?.request_id)).size).toBe(5000);
    expect(fired).toBe(true);
  });

  it("refuses those beyond ten thousand whose handlers are at work, also if the CLI withdrew them", async () => {
    const line = await openLine(() => new Promise(() => {}));
    for (let at = 0; at < 10_001; at++) {
      line.say({ type: "control_request", request_id: `r${at}`, request: { subtype: "x" } });
      line.say({ type: "control_cancel_request", request_id: `r${at}` });
    }
    expect(await line.sentUpTo(1)).toMatchObject([
      { response: { subtype: "error", request_id: "r10000" } },
    ]);
  });

  it("refuses those beyond ten thousand that are open", async () => {
    const line = await openLine(() => new Promise(() => {}));
    for (let at = 0; at < 10_001; at++) {
      line.say({ type: "control_request", request_id: `r${at}`, request: { subtype: "x" } });
    }
    expect(await line.sentUpTo(1)).toMatchObject([
      {
        response: { subtype: "error", request_id: "r10000", error: "Too many requests are open." },
      },
    ]);
  });
});

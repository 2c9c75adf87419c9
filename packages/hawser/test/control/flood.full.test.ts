import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { complete } from "../../src/complete/index.js";
import { openLine } from "./line.helper.js";

/** A program that speaks like the CLI, but answers a prompt with an endless series of requests. */
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

describe("complete() with a CLI that sends requests without end", () => {
  it.each([
    ["of an unknown subtype", { subtype: "x" }],
    ["to an unknown hook", { subtype: "hook_callback", callback_id: "none", input: {} }],
    ["to an unknown MCP server", { subtype: "mcp_message", server_name: "none", message: {} }],
  ])("%s rejects with timeout, and does not block the event loop", async (_name, request) => {
    let turns = 0;
    const rss = process.memoryUsage().rss;
    const timer = setInterval(() => {
      turns += 1;
    }, 10);
    onTestFinished(() => clearInterval(timer));
    const call = complete("go", {
      cliPath: floodingCli(request),
      closeGraceMs: 500,
      timeouts: { totalMs: 2000 },
    });
    // The requests have no end, so that a blocked event loop would never reject the call.
    await expect(call).rejects.toMatchObject({ code: "timeout", phase: "total" });
    expect(turns).toBeGreaterThan(10);
    expect(process.memoryUsage().rss - rss).toBeLessThan(512 * 1024 ** 2);
  });
});

describe("ControlLine with many requests at once", () => {
  it("answers each request, and lets a timer fire meanwhile", async () => {
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

  it("refuses requests while 10,000 handlers run, also for requests that the CLI has cancelled", async () => {
    const line = await openLine(() => new Promise(() => {}));
    for (let at = 0; at < 10_001; at++) {
      line.say({ type: "control_request", request_id: `r${at}`, request: { subtype: "x" } });
      line.say({ type: "control_cancel_request", request_id: `r${at}` });
    }
    expect(await line.sentUpTo(1)).toMatchObject([
      { response: { subtype: "error", request_id: "r10000" } },
    ]);
  });

  it("refuses requests while 10,000 requests are open", async () => {
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

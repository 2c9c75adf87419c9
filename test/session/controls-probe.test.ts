import { appendFileSync } from "node:fs";
import { describe, it, onTestFinished } from "vitest";
import { createSdkMcpServer, tool } from "../../src/mcp/index.js";
import { openSession } from "../../src/session/index.js";
import { always, hang, text, toolUse } from "../../src/testing/index.js";
import { CLIS } from "../support/cli.js";
import { world } from "../support/world.js";

describe.each(CLIS)("$name", ({ name, path }) => {
  const log = (label: string, value: unknown) => appendFileSync(`/tmp/probe/p2-${name}.txt`, `${label} ${JSON.stringify(value)?.slice(0, 400)}\n`);
  it("fold", async () => {
    let finish = () => {}; const done = new Promise<void>((r) => { finish = r; });
    let call = () => {}; const called = new Promise<void>((r) => { call = r; });
    const wait = tool("wait", "Waits.", {}, async () => { call(); await done; return { content: [{ type: "text", text: "waited" }] }; });
    const place = await world(path, [toolUse("mcp__gate__wait"), text("one"), text("two")]);
    const session = await openSession({ ...place.options, mcpServers: { gate: createSdkMcpServer({ name: "gate", tools: [wait], alwaysLoad: true }) }, allowedTools: ["mcp__gate__wait"] });
    onTestFinished(() => session.close());
    const reading = (async () => { for await (const m of session) log("m", m); })();
    const first = session.send("first", { uuid: "11111111-1111-4111-8111-111111111111" });
    await called;
    const second = session.send("second", { uuid: "22222222-2222-4222-8222-222222222222" });
    await new Promise((r) => setTimeout(r, 300));
    finish();
    const r = await Promise.allSettled([first.result, second.result]);
    log("settled", r.map((x) => x.status));
    await session.idle().catch(() => {});
    await session.close();
    await reading;
  });
  it("cancel", async () => {
    log("=== cancel", 0);
    const place = await world(path, ({ prompt }) => prompt.includes("next") ? text("ok") : hang("half"));
    const session = await openSession({ ...place.options });
    onTestFinished(() => session.close());
    void (async () => { for await (const m of session) log("m", m); })();
    const t = session.send("never");
    log("cancel0", await session.request("cancel_async_message", { message_uuid: t.uuid }).catch(String));
    await new Promise((r) => setTimeout(r, 1000));
    log("settled", (t as any).settled);
    const t2 = session.send("again");
    for await (const p of t2.textStream) { log("p", p); break; }
    log("cancel1", await session.request("cancel_async_message", { message_uuid: t2.uuid }).catch(String));
  }, 20000);
});

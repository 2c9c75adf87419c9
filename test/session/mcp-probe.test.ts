import { appendFileSync } from "node:fs";
import { describe, it, onTestFinished } from "vitest";
import { createSdkMcpServer, tool } from "../../src/mcp/index.js";
import { openSession } from "../../src/session/index.js";
import { always, text, toolUse } from "../../src/testing/index.js";
import { CLIS } from "../support/cli.js";
import { world } from "../support/world.js";
function server(name: string) {
  const greet = tool("greet", "Greets.", {}, async () => ({ content: [{ type: "text", text: `greetings from ${name}` }] }));
  return createSdkMcpServer({ name, tools: [greet], alwaysLoad: true });
}
describe.each(CLIS)("$name", ({ name, path }) => {
  const log = (label: string, value: unknown) => appendFileSync(`/tmp/probe/p3-${name}.txt`, `${label} ${JSON.stringify(value)?.slice(0, 600)}\n`);
  it.each([["none", undefined], ["set at once", 0], ["set after 1s", 1000], ["set with first", -1]] as const)("%s", async (label, wait) => {
    log("==", label);
    const place = await world(path, always("x"));
    const session = await openSession({ ...place.options, mcpServers: { first: server("first") } });
    onTestFinished(() => session.close());
    const st = async () => (await session.mcpServerStatus()).map((s) => [s.name, s.status, s.scope, s.source, (s as any).tools?.length]);
    log("status", await st());
    await new Promise((r) => setTimeout(r, wait ?? 1000 < 0 ? 0 : wait ?? 1000));
    log("status later", await st());
    if (wait !== undefined) {
      const second = server("second");
      log("set", wait === -1 ? await session.request("mcp_set_servers", { servers: { second: { type: "sdk", name: "second" }, first: { type: "sdk", name: "first" } } } as any) : await session.setMcpServers({ second }));
      log("status set", await st());
    }
    await session.send("hi").text();
    log("tools", place.model.calls[0]?.tools.filter((t) => t.startsWith("mcp")));
    log("status turn", await st());
    await session.setMcpServers({ third: server("third") });
    await session.send("hi").text();
    log("tools", place.model.calls[1]?.tools.filter((t) => t.startsWith("mcp")));
    log("status turn", await st());
  }, 20000);
  it("require", async () => {
    const place = await world(path, always("x"));
    const t = performance.now();
    const session = await openSession({ ...place.options, requireMcp: true, mcpServers: { first: server("first") } }).catch((e) => { log("require", String(e)); return undefined; });
    log("required", performance.now() - t);
    await session?.close();
  }, 20000);
});

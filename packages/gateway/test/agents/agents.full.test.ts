import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createApprovals } from "hawser";
import { thinking, toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { gatewayWorld } from "../support/gateway-world.js";
import { readSse } from "../support/read-sse.js";

const approvals = createApprovals();
const world = gatewayWorld({
  approvals,
  models: { helper: "agent:writer" },
  agents: {
    visitor: { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:1", OTHER: "1" } },
    writer: { model: "sonnet", tools: ["Write", "Bash"], allowedTools: ["Bash"] },
  },
});

const HELLO = { max_tokens: 100, messages: [{ role: "user", content: "Write a note." }] };

describe("the model agent:<name>", () => {
  it("runs the CLI's own tools, and shows all its messages as one, without the tools", async () => {
    world.script(
      [thinking("Hm."), "I look. ", toolUse("Bash", { command: "echo 1" })],
      ["I look again. ", toolUse("Bash", { command: "echo 2" })],
      (call) => `Done: ${call.toolResults[0]?.text}`,
    );
    const response = await world.post("/v1/messages", {
      ...HELLO,
      model: "agent:writer",
      stream: true,
    });
    const events: { type: string; index?: number; delta?: { text?: string } }[] = [];
    for await (const { data } of readSse(response)) events.push(JSON.parse(data));
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === "message_start")).toHaveLength(1);
    const starts = events.filter(({ type }) => type === "content_block_start");
    expect(starts.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(events.flatMap(({ delta }) => delta?.text ?? []).join("")).toBe(
      "I look. I look again. Done: 2",
    );
    expect(types.at(-1)).toBe("message_stop");
    expect(world.calls).toHaveLength(3);
  });

  it("asks the approvals of the gateway before it uses a tool that needs permission", async () => {
    world.script(toolUse("Write", { file_path: "note.txt", content: "Hello" }), "Written.");
    const answer = world.post("/v1/messages", { ...HELLO, model: "helper" });
    for await (const change of approvals) {
      if (change.type !== "asked") continue;
      expect(change.approval).toMatchObject({ kind: "tool", tool: "Write" });
      await approvals.answer(change.approval.id, { behavior: "allow" });
      break;
    }
    expect(await (await answer).json()).toMatchObject({ content: [{ text: "Written." }] });
    expect(readFileSync(join(world.place.cwd, "note.txt"), "utf8")).toBe("Hello");
  });

  it("gets the history, and adds the client's system prompt to its own", async () => {
    world.script("Hi.");
    const messages = [
      { role: "user", content: "One." },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "s" },
          { type: "text", text: "Two." },
        ],
      },
      { role: "user", content: "Three." },
    ];
    await world.post("/v1/messages", {
      model: "agent:writer",
      max_tokens: 1,
      messages,
      system: "Be terse.",
    });
    expect(world.calls[0]?.system).toContain("Be terse.");
    const sent = JSON.stringify(world.calls[0]?.body);
    expect(sent).toMatch(/One\..*Two\..*Three\./);
    expect(sent).not.toContain('"thinking":"Hm."');
  });

  it.each([
    { more: { tools: [{ name: "a", input_schema: { type: "object" } }] }, param: "tools" },
    { more: { stop_sequences: ["END"] }, param: "stop_sequences" },
  ])("refuses $param of the client with 400", async ({ more, param }) => {
    const response = await world.post("/v1/messages", { ...HELLO, model: "agent:writer", ...more });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(param);
  });

  it("keeps the environment of the tenant, also if the agent has one", async () => {
    world.script("Hi.");
    const response = await world.post("/v1/messages", { ...HELLO, model: "agent:visitor" });
    expect(await response.json()).toMatchObject({ content: [{ text: "Hi." }] });
  });

  it("is in the list of models", async () => {
    const list = (await (await world.fetch("/v1/models")).json()) as { data: { id: string }[] };
    expect(list.data.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["agent:writer", "helper", "sonnet"]),
    );
  });
});

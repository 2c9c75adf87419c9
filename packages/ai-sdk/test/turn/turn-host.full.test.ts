import { openSession } from "hawser";
import { hang, reply, toolUse } from "hawser/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { type AgentTurn, fromSession, type TurnEvent, TurnHost } from "../../src/turn/index.js";
import { aiWorld } from "../support/ai-world.js";

const world = aiWorld();
const bash = toolUse("Bash", { command: "touch made", description: "makes" });
const NOW = { name: "now", description: "The time.", inputSchema: { type: "object" } };

async function opened(options: ConstructorParameters<typeof TurnHost>[0]) {
  const host = new TurnHost(options);
  const session = await openSession(host.extend(world.cliOptions));
  onTestFinished(async () => {
    await session.close();
    await host.close();
  });
  return { host, session };
}

/** Reads to the end, and answers on the way. */
async function read(turn: AgentTurn, onEvent: (event: TurnEvent) => unknown = () => {}) {
  const types: string[] = [];
  for (let event = await turn.next(); event !== undefined; event = await turn.next()) {
    if (event.type !== "message") types.push(event.type);
    await onEvent(event);
  }
  return types;
}

describe("TurnHost", () => {
  it("gives the turns of a session as events; questions and calls come behind their tool calls", async () => {
    const { host, session } = await opened({ asks: true, tools: [NOW] });
    world.script(reply(["I look.", toolUse("mcp__app__now"), bash]), "Done.", "Again.");
    const turn = host.follow(fromSession(session.send("Go.")));
    const types = await read(turn, (event) => {
      if (event.type === "host_call") {
        expect(host.waiting).toEqual([event]);
        const result = { content: [{ type: "text" as const, text: "noon" }] };
        expect(host.answerToolCall(event.id, result)).toBe("counted");
        expect(host.answerToolCall(event.id, result)).toBe("too_late");
      }
      if (event.type !== "question") return;
      return host.answerApproval(event.approval.id, { behavior: "deny", message: "No." });
    });
    // The second call may be written while the CLI already makes the first one.
    const order = types.filter((type) => /^(tool_call|host_call|question|tool_result)$/.test(type));
    expect(order.toSorted()).toEqual(
      ["tool_call", "tool_call", "host_call", "question", "tool_result", "tool_result"].toSorted(),
    );
    expect(order.indexOf("tool_call")).toBeLessThan(order.indexOf("host_call"));
    expect(order.lastIndexOf("tool_call")).toBeLessThan(order.indexOf("question"));
    expect(order.slice(-2)).toEqual(["question", "tool_result"]);
    expect(world.calls[1]?.toolResults).toMatchObject([
      { text: "noon" },
      { isError: true, text: expect.stringContaining("No.") },
    ]);
    expect(await turn.outcome).toMatchObject({ subtype: "success" });
    expect(await read(host.follow(fromSession(session.send("And?"))))).toContain("text_delta");
  });

  it("withdraws what waits if the turn is interrupted", async () => {
    const { host, session } = await opened({ asks: true });
    world.script(bash);
    const turn = host.follow(fromSession(session.send("Go.")));
    const types = await read(turn, (event) => {
      if (event.type === "question") turn.interrupt();
    });
    expect(types.slice(types.indexOf("question"))).toContain("withdrawn");
    expect(host.waiting).toEqual([]);
  });

  it("ends the open parts of a turn that is interrupted", async () => {
    const { host, session } = await opened({});
    world.script(hang("Once upon"));
    const turn = host.follow(fromSession(session.send("Tell.")));
    const types = await read(turn, (event) => {
      if (event.type === "text_delta") turn.interrupt();
    });
    const texts = types.filter((type) => type.startsWith("text"));
    expect(texts).toEqual(["text_start", "text_delta", "text_end"]);
  });

  it("refuses a server of the caller with the name of its own", () => {
    const host = new TurnHost({ tools: [NOW], serverName: "app" });
    expect(() => host.extend({ mcpServers: { app: { command: "x" } } })).toThrow(/is taken/);
    expect(() => host.extend({ mcpServers: "servers.json" })).toThrow(/as a text/);
  });
});

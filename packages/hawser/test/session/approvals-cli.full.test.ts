import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { complete } from "../../src/complete/index.js";
import { query } from "../../src/query/index.js";
import {
  type Approval,
  type ApprovalDecision,
  type Approvals,
  createApprovals,
  openSession,
  type ToolApproval,
} from "../../src/session/index.js";
import { toolUse } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { open } from "../support/open-session.js";
import { sharedWorld } from "../support/shared-world.js";
import { sharedSession } from "./shared-session.helper.js";

/** The CLI ignores a second call with the same id. */
let calls = 0;
const use = (tool: string, input: Record<string, unknown>) =>
  toolUse(tool, input, { id: `toolu_${++calls}` });
const run = (command: string) => use("Bash", { command, description: "d" });

/** Decides the questions in their order, and gives them when all have come. */
async function decide(
  approvals: Approvals,
  ...decisions: readonly ApprovalDecision[]
): Promise<Approval[]> {
  const asked: Approval[] = [];
  for await (const change of approvals) {
    if (change.type !== "asked") continue;
    asked.push(change.approval);
    const decision = decisions[asked.length - 1];
    if (decision === undefined) break;
    await approvals.answer(change.approval.id, decision, { by: "test" });
    if (asked.length === decisions.length) break;
  }
  return asked;
}

/** The next question. It is not answered. */
async function nextQuestion(approvals: Approvals): Promise<Approval> {
  const [approval] = await decide(approvals);
  if (approval === undefined) throw new Error("The approvals were closed.");
  return approval;
}

const SERVER = `
import { createInterface } from "node:readline";
const tools = [{ name: "ask", inputSchema: { type: "object" }, _meta: { "anthropic/alwaysLoad": true } }];
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
let asking;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === "initialize") {
    const serverInfo = { name: "crm", version: "1.0.0" };
    const { protocolVersion } = params;
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") send({ id, result: { tools } });
  else if (method === "tools/call") {
    asking = id;
    send({ id: "q", method: "elicitation/create", params: { message: "Who?", requestedSchema } });
  } else if (id === "q") {
    send({ id: asking, result: { content: [{ type: "text", text: JSON.stringify(result) }] } });
  } else if (id !== undefined) send({ id, error: { code: -32601, message: "no such method" } });
}
`;

describe.each(clisInTurn())("approvals of a session on $name", ({ path }) => {
  const approvals = createApprovals();
  const { canUseTool, onElicitation } = approvals;
  const shared = sharedSession(path, (cwd) => {
    writeFileSync(join(cwd, "server.mjs"), SERVER);
    const crm = { command: process.execPath, args: [join(cwd, "server.mjs")] };
    const mcpServers = { crm };
    const allowedTools = ["mcp__crm__ask"];
    return { canUseTool, onElicitation, mcpServers, requireMcp: true, allowedTools };
  });
  afterEach(() => expect(approvals.pending()).toEqual([]));

  it("run a tool that is allowed, and know the session and the tool call", async () => {
    shared.script(run("touch allowed"), "done");
    const turn = shared.session.send("go");
    const [asked] = await decide(approvals, { behavior: "allow" });
    expect(await turn.text()).toBe("done");
    expect(shared.made("allowed")).toBe(true);
    expect(asked).toMatchObject({
      kind: "tool",
      tool: "Bash",
      summary: "Bash touch allowed",
      sessionId: shared.session.id,
      toolUseId: `toolu_${calls}`,
      blockedPath: join(shared.cwd, "allowed"),
    });
  });

  it("deny with a message that reaches the model", async () => {
    shared.script(run("touch denied"), "I see");
    const turn = shared.session.send("go");
    await decide(approvals, { behavior: "deny", message: "not on a Sunday" });
    expect(await turn.text()).toBe("I see");
    expect(shared.made("denied")).toBe(false);
    expect(shared.calls[1]?.toolResults[0]).toMatchObject({
      text: expect.stringContaining("not on a Sunday"),
      isError: true,
    });
  });

  it("give an edited input to the tool", async () => {
    writeFileSync(join(shared.cwd, "note.txt"), "one\ntwo\n");
    const file_path = join(shared.cwd, "note.txt");
    shared.script(
      use("Read", { file_path }),
      use("Edit", { file_path, old_string: "two", new_string: "2" }),
      "done",
    );
    const turn = shared.session.send("go");
    const updatedInput = { file_path, old_string: "two", new_string: "zwei" };
    const [asked] = await decide(approvals, { behavior: "allow", updatedInput });
    expect(await turn.text()).toBe("done");
    expect((asked as ToolApproval).diff).toEqual({
      path: file_path,
      file: "read",
      applies: true,
      omitted: 0,
      lines: [
        { sign: " ", text: "one" },
        { sign: "-", text: "two" },
        { sign: "+", text: "2" },
      ],
    });
    expect(readFileSync(file_path, "utf8")).toBe("one\nzwei\n");
    expect(approvals.records().at(-1)).toMatchObject({ edited: true, by: "test" });
  });

  it("answer the questions of AskUserQuestion", async () => {
    const options = ["Left", "Right"].map((label) => ({ label, description: label }));
    const questions = [{ question: "Which way?", header: "Way", multiSelect: false, options }];
    shared.script(use("AskUserQuestion", { questions }), "done");
    const turn = shared.session.send("go");
    const answers = { "Which way?": "Right" };
    const [asked] = await decide(approvals, { behavior: "answer", answers });
    expect(await turn.text()).toBe("done");
    expect(asked).toMatchObject({ kind: "question", summary: "Which way?" });
    expect(shared.calls[1]?.toolResults[0]).toMatchObject({
      text: expect.stringMatching(/Which way\?.*Right/s),
      isError: false,
    });
  });

  it("decide about the plan of ExitPlanMode", async () => {
    const { session } = shared;
    await session.setPermissionMode("plan");
    // The CLI takes the plan from the file that it has named to the model.
    const PLAN = /\/[^\s"`]*\/plans\/[^\s"`]*\.md/;
    shared.script(
      ({ body }) => {
        const [file_path] = PLAN.exec(JSON.stringify(body)) ?? [];
        return use("Write", { file_path, content: "do it" });
      },
      use("ExitPlanMode", {}),
      use("ExitPlanMode", {}),
      "done",
    );
    const turn = session.send("go");
    const asked = await decide(
      approvals,
      { behavior: "deny", message: "think more" },
      { behavior: "allow" },
    );
    expect(await turn.text()).toBe("done");
    expect(asked).toMatchObject([{ kind: "plan", plan: "do it" }, { kind: "plan" }]);
    expect(shared.calls[2]?.toolResults[0]?.text).toContain("think more");
    expect(shared.calls[3]?.toolResults[0]?.isError).toBe(false);
    await session.setPermissionMode("default");
  });

  it("answer the question of an MCP server", async () => {
    shared.script(use("mcp__crm__ask", {}), "done");
    const turn = shared.session.send("go");
    const [asked] = await decide(approvals, { behavior: "accept", content: { name: "Ada" } });
    expect(await turn.text()).toBe("done");
    expect(asked).toMatchObject({
      kind: "elicitation",
      server: "crm",
      message: "Who?",
      requestedSchema: { properties: { name: { type: "string" } } },
      sessionId: shared.session.id,
    });
    expect(shared.calls[1]?.toolResults[0]?.text).toContain('"name":"Ada"');
  });

  it("know the sub-agent that asks, and the call that started it", async () => {
    const input = { description: "s", prompt: "do it", subagent_type: "general-purpose" };
    shared.script(use("Agent", input), run("touch by-agent"), "sub", "done", "done", "done");
    const parent = `toolu_${calls - 1}`;
    const turn = shared.session.send("go");
    const [asked] = await decide(approvals, { behavior: "allow" });
    await turn.text();
    expect(asked).toMatchObject({
      agentId: expect.any(String),
      parentToolUseId: parent,
      toolUseId: `toolu_${calls}`,
      sessionId: shared.session.id,
    });
    await shared.session.idle();
    expect(shared.made("by-agent")).toBe(true);
  });

  it("withdraw the question of a turn that is interrupted", async () => {
    shared.script(run("touch interrupted"), "next");
    const turn = shared.session.send("go");
    const { id } = await nextQuestion(approvals);
    await shared.session.interrupt();
    expect((await turn.result).subtype).toBe("error_during_execution");
    expect(approvals.pending()).toEqual([]);
    expect(await approvals.answer(id, { behavior: "allow" })).toBe("too_late");
    expect(approvals.records().at(-1)).toMatchObject({ id, outcome: "withdrawn" });
    expect(await shared.session.send("again").text()).toBe("next");
    expect(shared.made("interrupted")).toBe(false);
  });
});

describe.each(clisInTurn())('scope: "session" on $name', ({ path }) => {
  const ALLOW = { behavior: "allow" } as const;
  const ALWAYS = { behavior: "allow", scope: "session" } as const;

  it("gives the CLI the rule that it suggests, so that it asks once; another kind is asked", async () => {
    const approvals = createApprovals();
    const { session, made } = await open(
      path,
      [
        run("touch a"),
        run("touch a"),
        run("sh -c 'touch b'"),
        use("Write", { file_path: "c.txt", content: "c" }),
        use("Write", { file_path: "d.txt", content: "d" }),
        run("sh -c 'touch e'"),
        "done",
      ],
      { canUseTool: approvals.canUseTool },
    );
    const turn = session.send("go");
    const asked = await decide(approvals, ALWAYS, ALLOW, ALWAYS, ALLOW);
    expect(await turn.text()).toBe("done");
    expect(asked.map(({ summary }) => summary.replace(/\/.*\//, ""))).toEqual([
      "Bash touch a",
      "Bash sh -c 'touch b'",
      "Write c.txt",
      "Bash sh -c 'touch e'",
    ]);
    expect(approvals.records()).toHaveLength(4);
    expect(["a", "b", "c.txt", "d.txt", "e"].map(made)).toEqual(Array(5).fill(true));
    expect(made(".claude")).toBe(false);
  });

  it("answers equal calls itself where a policy asks about each, which no rule of the CLI changes", async () => {
    const approvals = createApprovals();
    const { session, made } = await open(
      path,
      [run("touch a"), run("touch a"), run("touch b"), "done"],
      {
        canUseTool: approvals.canUseTool,
        rules: [{ tool: "*", decision: "ask" }],
      },
    );
    const turn = session.send("go");
    const asked = await decide(approvals, ALWAYS, ALLOW);
    expect(await turn.text()).toBe("done");
    expect(asked).toMatchObject([
      {
        summary: "Bash touch a",
        reasonType: "hook",
        suggestions: [],
        sessionGrant: { updates: [], input: { command: "touch a" } },
      },
      { summary: "Bash touch b" },
    ]);
    expect(approvals.records().map(({ outcome }) => outcome)).toEqual([
      "answered",
      "granted",
      "answered",
    ]);
    expect([made("a"), made("b")]).toEqual([true, true]);
  });
});

describe.each(clisInTurn())("approvals on $name", ({ path }) => {
  const shared = sharedWorld(path);

  it("deny what nobody answers within ttlMs, and the model reads why", async () => {
    const approvals = createApprovals({ ttlMs: 200 });
    shared.script(run("touch expired"), "I see");
    const { text } = await complete("go", {
      ...shared.options,
      preset: "agent",
      canUseTool: approvals.canUseTool,
    });
    expect(text).toBe("I see");
    expect(shared.calls[1]?.toolResults[0]).toMatchObject({
      text: expect.stringContaining("Nobody answered this request for approval within 200 ms"),
      isError: true,
    });
    expect(approvals.records()).toMatchObject([{ outcome: "expired", code: "approval_expired" }]);
  });

  it("serve query(), a call of a pool and a session at the same time", async () => {
    const approvals = createApprovals();
    onTestFinished(() => approvals.close());
    const { canUseTool } = approvals;
    const file = (prompt: string) => /by-\w+/.exec(prompt)?.[0];
    shared.script(
      ...Array.from(
        { length: 6 },
        () => (call: { prompt: string; toolResults: readonly unknown[] }) =>
          call.toolResults.length > 0 ? "done" : run(`touch ${file(call.prompt)}`),
      ),
    );
    const { cwd, env, cliPath = "" } = shared.options;
    const asQuery = (async () => {
      const options = {
        canUseTool,
        cwd: cwd ?? "",
        env: { ...env },
        pathToClaudeCodeExecutable: cliPath,
      };
      async function* prompt() {
        const message = { role: "user" as const, content: "touch by-query" };
        yield { type: "user" as const, message, parent_tool_use_id: null, session_id: "" };
      }
      const texts: unknown[] = [];
      for await (const message of query({ prompt: prompt(), options })) {
        if (message.type === "result" && message.subtype === "success") texts.push(message.result);
      }
      return texts;
    })();
    const options = { ...shared.options, preset: "agent" as const, canUseTool };
    const asCall = shared.pool().complete("touch by-call", options);
    const session = await shared.session({ canUseTool });
    const asTurn = session.send("touch by-session").text();
    const asked = await decide(approvals, ...Array(3).fill({ behavior: "allow" }));
    expect(await asQuery).toEqual(["done"]);
    expect((await asCall).text).toBe("done");
    expect(await asTurn).toBe("done");
    expect(asked.map(({ summary }) => summary).toSorted()).toEqual(
      ["call", "query", "session"].map((by) => `Bash touch by-${by}`),
    );
    expect(new Set(asked.map(({ sessionId }) => sessionId)).size).toBe(3);
    expect(asked.map(({ sessionId }) => sessionId)).toContain(session.id);
  });

  it("withdraw the question of a process that dies", async () => {
    const approvals = createApprovals();
    const options = { ...shared.options, canUseTool: approvals.canUseTool };
    const session = await openSession(options);
    onTestFinished(() => session.close());
    shared.script(run("touch late"));
    const turn = session.send("go");
    await nextQuestion(approvals);
    process.kill(session.pid ?? Number.NaN, "SIGKILL");
    await expect(turn.result).rejects.toMatchObject({ code: "process_exited" });
    expect(approvals.pending()).toEqual([]);
    expect(approvals.records()).toMatchObject([{ outcome: "withdrawn" }]);
  });
});

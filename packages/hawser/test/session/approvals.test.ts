import { getEventListeners } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { CHANNELS } from "../../src/base/index.js";
import type { CanUseToolContext } from "../../src/options/index.js";
import {
  type Approval,
  type ApprovalChange,
  type Approvals,
  type ApprovalsOptions,
  createApprovals,
  type ToolApproval,
} from "../../src/session/index.js";
import type { ElicitationResult, PermissionResult } from "../../src/wire/index.js";

type Context = Partial<CanUseToolContext> & Readonly<Record<string, unknown>>;

function open(options?: ApprovalsOptions): Approvals {
  const approvals = createApprovals(options);
  onTestFinished(() => approvals.close());
  return approvals;
}

/** Asks as a session does. */
async function ask(
  approvals: Approvals,
  tool = "Bash",
  input: Record<string, unknown> = { command: "ls" },
  context: Context = {},
): Promise<PermissionResult | null> {
  const signal = new AbortController().signal;
  const facts = { signal, toolUseID: "toolu_1", requestId: "r1", sessionId: "s1", cwd: "/" };
  return approvals.canUseTool(tool, input, { ...facts, ...context });
}

function elicit(approvals: Approvals): Promise<ElicitationResult | null> {
  const { signal } = new AbortController();
  const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
  const request = { serverName: "crm", message: "Who?", requestedSchema };
  return approvals.onElicitation(request, { signal, requestId: "r1", sessionId: "s1" });
}

/** The only pending question. */
function only(approvals: Approvals): Approval {
  const [approval, ...others] = approvals.pending();
  if (approval === undefined || others.length > 0) throw new Error("There must be one question.");
  return approval;
}

function tools(approvals: Approvals): ToolApproval[] {
  return approvals.pending().filter((each): each is ToolApproval => each.kind === "tool");
}

const TOUCH_RULE = {
  type: "addRules" as const,
  rules: [{ toolName: "Bash", ruleContent: "touch *" }],
  behavior: "allow" as const,
  destination: "session" as const,
};
const ACCEPT_EDITS = {
  type: "setMode" as const,
  mode: "acceptEdits" as const,
  destination: "session" as const,
};

const QUESTIONS = [
  { question: "Which way?", header: "Way", options: [{ label: "Left" }, { label: "Right" }] },
  { question: "Which tools?", multiSelect: true, options: [{ label: "Saw", description: "s" }] },
];

describe("createApprovals()", () => {
  it("lists a tool call as plain data", async () => {
    const approvals = open({ ttlMs: 60_000 });
    const answer = ask(
      approvals,
      "Bash",
      { command: "touch a", description: "d" },
      {
        agentID: "a1",
        parentToolUseID: "toolu_0",
        decisionReason: "because",
        decisionReasonType: "rule",
        suggestions: [TOUCH_RULE, ACCEPT_EDITS],
      },
    );
    const approval = only(approvals);
    expect(approval).toEqual({
      id: expect.any(String),
      kind: "tool",
      summary: "Bash touch a",
      tool: "Bash",
      input: { command: "touch a", description: "d" },
      toolUseId: "toolu_1",
      sessionId: "s1",
      agentId: "a1",
      parentToolUseId: "toolu_0",
      reason: "because",
      reasonType: "rule",
      suggestions: [TOUCH_RULE, ACCEPT_EDITS],
      sessionGrant: { updates: [TOUCH_RULE], input: { command: "touch a" } },
      askedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(JSON.parse(JSON.stringify(approval))).toEqual(approval);
    const { askedAt, expiresAt = "" } = approval;
    expect(Date.parse(expiresAt) - Date.parse(askedAt)).toBe(60_000);
    await approvals.answer(approval.id, { behavior: "allow" });
    expect(await answer).toEqual({ behavior: "allow" });
  });

  it("gives readers data that they cannot change, and that the caller's input does not change", async () => {
    const approvals = open();
    const input = { command: "ls", env: { A: "1" } };
    const answer = ask(approvals, "Bash", input, { suggestions: [TOUCH_RULE] });
    input.env.A = "2";
    const [approval] = tools(approvals);
    expect(approval?.input).toEqual({ command: "ls", env: { A: "1" } });
    expect(Object.isFrozen(approval?.input["env"])).toBe(true);
    expect(Object.isFrozen(approval?.sessionGrant?.updates[0])).toBe(true);
    await approvals.close();
    expect(await answer).toMatchObject({ behavior: "deny" });
  });

  it("makes a summary of one line without control characters", async () => {
    const approvals = open();
    void ask(approvals, "Bash", { command: `ls\n\x1b[2K${"x".repeat(500)}` });
    const { summary } = only(approvals);
    expect(summary).toMatch(/^Bash ls \[2Kx+…$/);
    expect(summary.length).toBe(200);
  });

  it("lists questions of the model, plans and questions of MCP servers by their kind", async () => {
    const approvals = open();
    void ask(approvals, "AskUserQuestion", { questions: [...QUESTIONS, { header: "no text" }] });
    void ask(approvals, "ExitPlanMode", { plan: "First\nSecond" });
    void elicit(approvals);
    expect(approvals.pending()).toMatchObject([
      {
        kind: "question",
        summary: "Which way? Which tools?",
        questions: [
          { question: "Which way?", header: "Way", multiSelect: false },
          { question: "Which tools?", options: [{ label: "Saw", description: "s" }] },
        ],
      },
      { kind: "plan", summary: "Plan: First Second", plan: "First\nSecond" },
      { kind: "elicitation", server: "crm", message: "Who?", mode: "form", summary: "crm: Who?" },
    ]);
  });

  it("answers each of 1,000 concurrent questions once, whoever of two answers first", async () => {
    const approvals = open({ ttlMs: 3_600_000, recordLimit: 5000 });
    const { signal } = new AbortController();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const answers = Array.from({ length: 1000 }, (_, i) =>
      ask(approvals, "Bash", { command: `echo ${i}` }, { signal, toolUseID: `t${i}` }),
    );
    const ids = approvals.pending().map(({ id }) => id);
    expect(new Set(ids).size).toBe(1000);
    expect([vi.getTimerCount(), getEventListeners(signal, "abort").length]).toEqual([1000, 1]);
    const answered = async (by: string, list: readonly string[]) =>
      Promise.all(
        list.map((id) => approvals.answer(id, { behavior: "deny", message: by }, { by })),
      );
    const [one, two] = await Promise.all([
      answered("one", ids),
      answered("two", ids.toReversed()).then((results) => results.toReversed()),
    ]);
    for (const [i] of ids.entries()) {
      expect([one[i], two[i]].toSorted()).toEqual(["counted", "too_late"]);
    }
    const winners = new Map(approvals.records().map(({ toolUseId, by }) => [toolUseId, by]));
    for (const [i, answer] of (await Promise.all(answers)).entries()) {
      expect(answer).toEqual({ behavior: "deny", message: winners.get(`t${i}`) });
    }
    expect(approvals.pending()).toEqual([]);
    expect([vi.getTimerCount(), getEventListeners(signal, "abort").length]).toEqual([0, 0]);
  });

  it("keeps no program alive by its timers", () => {
    const timers = () => process.getActiveResourcesInfo().filter((each) => each === "Timeout");
    const before = timers().length;
    const approvals = open({ ttlMs: 3_600_000 });
    void ask(approvals);
    expect(approvals.pending()).toHaveLength(1);
    expect(timers()).toHaveLength(before);
  });

  it("refuses unknown options and values with invalid_options", () => {
    const bad = [{ ttl: 5 }, { ttlMs: 0 }, { onExpire: "allow" }, { readerLimit: 0 }];
    for (const options of bad) {
      expect(() => createApprovals(options as ApprovalsOptions)).toThrow(
        expect.objectContaining({ code: "invalid_options" }),
      );
    }
  });
});

describe("approvals.answer()", () => {
  it("gives an edited input to the tool, and says so in the record", async () => {
    const approvals = open();
    const answer = ask(approvals, "Bash", { command: "rm -r a" });
    const updatedInput = { command: "rm -r b" };
    await approvals.answer(only(approvals).id, { behavior: "allow", updatedInput });
    updatedInput.command = "rm -r /";
    expect(await answer).toEqual({ behavior: "allow", updatedInput: { command: "rm -r b" } });
    expect(approvals.records()).toMatchObject([
      { edited: true, decision: { updatedInput: { command: "rm -r b" } } },
    ]);
  });

  it("passes the message and interrupt of a denial on", async () => {
    const approvals = open();
    const first = ask(approvals);
    await approvals.answer(only(approvals).id, {
      behavior: "deny",
      message: "no",
      interrupt: true,
    });
    const second = ask(approvals);
    await approvals.answer(only(approvals).id, { behavior: "deny" });
    expect(await first).toEqual({ behavior: "deny", message: "no", interrupt: true });
    expect(await second).toEqual({
      behavior: "deny",
      message: "The person who was asked denied this.",
    });
  });

  it("answers the questions of AskUserQuestion by their texts", async () => {
    const approvals = open();
    const answer = ask(approvals, "AskUserQuestion", { questions: QUESTIONS });
    const answers = { "Which way?": "Left", "Which tools?": ["Saw", "Axe"] };
    await approvals.answer(only(approvals).id, { behavior: "answer", answers });
    expect(await answer).toEqual({
      behavior: "allow",
      updatedInput: {
        questions: QUESTIONS,
        answers: { "Which way?": "Left", "Which tools?": "Saw, Axe" },
      },
    });
  });

  it("accepts, declines or cancels the question of an MCP server", async () => {
    const approvals = open();
    const accepted = elicit(approvals);
    await approvals.answer(only(approvals).id, { behavior: "accept", content: { name: "Ada" } });
    const declined = elicit(approvals);
    await approvals.answer(only(approvals).id, { behavior: "decline" });
    const cancelled = elicit(approvals);
    await approvals.answer(only(approvals).id, { behavior: "cancel" });
    expect(await Promise.all([accepted, declined, cancelled])).toEqual([
      { action: "accept", content: { name: "Ada" } },
      { action: "decline" },
      { action: "cancel" },
    ]);
  });

  it.each<readonly [string, (approvals: Approvals) => unknown, unknown, string]>([
    ["no object", ask, "yes", "decision"],
    ["an unknown behavior", ask, { behavior: "maybe" }, "decision.behavior"],
    ["an unknown field", ask, { behavior: "allow", input: {} }, "decision.input"],
    ["a wrong scope", ask, { behavior: "allow", scope: "always" }, "decision.scope"],
    [
      "no JSON as input",
      ask,
      { behavior: "allow", updatedInput: { n: 1n } },
      "decision.updatedInput",
    ],
    [
      "an edited input for the session",
      ask,
      { behavior: "allow", updatedInput: { command: "b" }, scope: "session" },
      "decision.scope",
    ],
    [
      "a session without a grant",
      (approvals) => ask(approvals, "ExitPlanMode", { plan: "p" }),
      { behavior: "allow", scope: "session" },
      "decision.scope",
    ],
    [
      "allow for a question",
      (approvals) => ask(approvals, "AskUserQuestion", { questions: QUESTIONS }),
      { behavior: "allow" },
      "decision.behavior",
    ],
    [
      "a missing answer",
      (approvals) => ask(approvals, "AskUserQuestion", { questions: QUESTIONS }),
      { behavior: "answer", answers: { "Which way?": "Left" } },
      'decision.answers["Which tools?"]',
    ],
    [
      "an answer to no question",
      (approvals) => ask(approvals, "AskUserQuestion", { questions: QUESTIONS.slice(0, 1) }),
      { behavior: "answer", answers: { "Which way?": "Left", Which: "b" } },
      "decision.answers.Which",
    ],
    ["a nested form", elicit, { behavior: "accept", content: { a: {} } }, "decision.content.a"],
    ["allow for an elicitation", elicit, { behavior: "allow" }, "decision.behavior"],
  ])(
    "rejects with invalid_options and keeps the question: %s",
    async (_, begin, decision, path) => {
      const approvals = open();
      void begin(approvals);
      const { id } = only(approvals);
      await expect(approvals.answer(id, decision as never)).rejects.toMatchObject({
        code: "invalid_options",
        issues: [expect.objectContaining({ path })],
      });
      expect(only(approvals).id).toBe(id);
    },
  );

  it("rejects an id that never existed, and is too late for one that has ended", async () => {
    const approvals = open({ recordLimit: 0 });
    const other = open();
    void ask(approvals);
    void ask(other);
    const { id } = only(approvals);
    await approvals.answer(id, { behavior: "allow" });
    expect(approvals.records()).toEqual([]);
    expect(await approvals.answer(id, { behavior: "allow" })).toBe("too_late");
    const next = id.replace(/1$/, "2");
    const wrongTypes = [undefined, null, 1n, {}];
    for (const unknown of ["", "x", next, `${id}.0`, only(other).id, ...wrongTypes]) {
      await expect(
        approvals.answer(unknown as string, { behavior: "allow" }),
      ).rejects.toMatchObject({
        code: "invalid_options",
      });
    }
  });
});

describe('scope: "session"', () => {
  const SESSION = { behavior: "allow", scope: "session" } as const;

  it("gives the CLI the rules that it suggests, and its mode only if there is no rule", async () => {
    const approvals = open();
    const ruled = ask(
      approvals,
      "Bash",
      { command: "touch a" },
      {
        suggestions: [TOUCH_RULE, ACCEPT_EDITS],
      },
    );
    await approvals.answer(only(approvals).id, SESSION);
    const moded = ask(
      approvals,
      "Write",
      { file_path: "/a", content: "" },
      {
        suggestions: [ACCEPT_EDITS],
      },
    );
    await approvals.answer(only(approvals).id, SESSION);
    expect(await ruled).toEqual({ behavior: "allow", updatedPermissions: [TOUCH_RULE] });
    expect(await moded).toEqual({ behavior: "allow", updatedPermissions: [ACCEPT_EDITS] });
  });

  it("allows the same command again without a question, in this session and for this reason only", async () => {
    const approvals = open();
    const context = { decisionReasonType: "hook" };
    void ask(approvals, "Bash", { command: "touch a", description: "1" }, context);
    const { id } = only(approvals);
    await approvals.answer(id, SESSION, { by: "ada" });
    expect(await ask(approvals, "Bash", { command: "touch a", description: "2" }, context)).toEqual(
      {
        behavior: "allow",
      },
    );
    expect(approvals.records().at(-1)).toMatchObject({
      outcome: "granted",
      by: "ada",
      grantedBy: id,
      decision: { behavior: "allow" },
    });
    void ask(approvals, "Bash", { command: "touch b" }, context);
    void ask(approvals, "Bash", { command: "touch a" }, { ...context, sessionId: "s2" });
    void ask(approvals, "Bash", { command: "touch a" }, { decisionReasonType: "safetyCheck" });
    void ask(approvals, "PowerShell", { command: "touch a" }, context);
    expect(approvals.pending()).toHaveLength(4);
  });

  it.each([
    ["Write", { file_path: "/a", content: "1" }, { file_path: "/a" }],
    ["WebFetch", { url: "http://a/", prompt: "p" }, { url: "http://a/" }],
    ["mcp__crm__find", { name: "Ada" }, {}],
    ["WebSearch", { query: "knots" }, {}],
    ["Glob", { path: ".", pattern: "/etc/*" }, { path: ".", pattern: "/etc/*" }],
    ["Workflow", { scriptPath: "/w", args: { a: 1 } }, { scriptPath: "/w", args: { a: 1 } }],
    ["Monitor", { command: "c", description: "d", timeout_ms: 1 }, { command: "c" }],
    ["Unheard", { a: 1 }, { a: 1 }],
  ])("says which fields a further call of %s must share", (tool, input, fields) => {
    const approvals = open();
    void ask(approvals, tool, input);
    expect(tools(approvals)[0]?.sessionGrant).toEqual({ updates: [], input: fields });
  });

  it("does not cover the same command outside the sandbox, or in the background", async () => {
    const approvals = open();
    const context = { decisionReasonType: "hook" };
    const command = "touch a";
    void ask(approvals, "Bash", { command, timeout: 1 }, context);
    await approvals.answer(only(approvals).id, SESSION);
    expect(await ask(approvals, "Bash", { command, timeout: 2 }, context)).toEqual({
      behavior: "allow",
    });
    const unsandboxed = { command, dangerouslyDisableSandbox: true };
    void ask(approvals, "Bash", unsandboxed, context);
    void ask(approvals, "Bash", { command, run_in_background: true }, context);
    const [first] = tools(approvals);
    expect(approvals.pending()).toHaveLength(2);
    expect(first?.sessionGrant?.input).toEqual(unsandboxed);
    await approvals.answer(first?.id ?? "", SESSION);
    const otherOrder = { dangerouslyDisableSandbox: true, command };
    expect(await ask(approvals, "Bash", otherOrder, context)).toEqual({ behavior: "allow" });
  });

  it("also answers equal questions that are pending", async () => {
    const approvals = open();
    const answers = [1, 2, 3].map((i) => ask(approvals, "mcp__crm__find", { i }));
    const other = ask(approvals, "mcp__crm__drop", {});
    await approvals.answer(approvals.pending()[1]?.id ?? "", SESSION);
    expect(await Promise.all(answers)).toEqual(answers.map(() => ({ behavior: "allow" })));
    expect(only(approvals)).toMatchObject({ tool: "mcp__crm__drop" });
    await approvals.close();
    expect(await other).toMatchObject({ behavior: "deny" });
  });

  it.each<[Readonly<Record<string, unknown>>]>([
    [{ suppressAlwaysAllowRule: true }],
    [{ requiresUserInteraction: true }],
    [{ sessionId: undefined }],
  ])("is not offered for a question with %o", (context) => {
    const approvals = open();
    void ask(approvals, "Bash", { command: "ls" }, context);
    expect(only(approvals)).not.toHaveProperty("sessionGrant");
  });
});

describe("the end of a question without an answer", () => {
  it("is a denial after ttlMs, with the code approval_expired in the record", async () => {
    const approvals = open({ ttlMs: 5 });
    const [denied, cancelled] = await Promise.all([ask(approvals), elicit(approvals)]);
    expect(denied).toEqual({
      behavior: "deny",
      message: expect.stringContaining("Nobody answered this request for approval within 5 ms"),
    });
    expect(cancelled).toEqual({ action: "cancel" });
    expect(approvals.records()).toMatchObject([
      { outcome: "expired", code: "approval_expired", tool: "Bash" },
      { outcome: "expired", code: "approval_expired", server: "crm" },
    ]);
    const [{ id } = { id: "" }] = approvals.records();
    expect(await approvals.answer(id, { behavior: "allow" })).toBe("too_late");
  });

  it("is decided by the function onExpire, and an answer meanwhile is too late", async () => {
    let late: unknown;
    const approvals: Approvals = open({
      ttlMs: 5,
      onExpire: async ({ id }) => {
        late = await approvals.answer(id, { behavior: "deny" });
        return { behavior: "allow" };
      },
    });
    expect(await ask(approvals)).toEqual({ behavior: "allow" });
    expect(late).toBe("too_late");
    expect(approvals.records()).toMatchObject([
      { outcome: "expired", code: "approval_expired", decision: { behavior: "allow" } },
    ]);
  });

  it("is a denial and a warning if onExpire throws or answers nonsense", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const throws = () => {
      throw new Error("broken");
    };
    for (const onExpire of [throws, () => ({ behavior: "maybe" }) as never]) {
      expect(await ask(open({ ttlMs: 1, onExpire }))).toMatchObject({ behavior: "deny" });
    }
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it("is a denial and a warning if onExpire takes longer than 30 seconds", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => {
      vi.useRealTimers();
      warn.mockRestore();
    });
    const approvals = open({ ttlMs: 5, onExpire: () => new Promise(() => {}) });
    const answers = Promise.all([ask(approvals), elicit(approvals)]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(approvals.records()).toEqual([]);
    await vi.advanceTimersByTimeAsync(5);
    expect(await answers).toMatchObject([{ behavior: "deny" }, { action: "cancel" }]);
    expect(approvals.records()).toMatchObject([{ outcome: "expired" }, { outcome: "expired" }]);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining("30 seconds"), expect.anything());
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives a grant if onExpire answers with scope: "session"', async () => {
    const approvals = open({
      ttlMs: 5,
      onExpire: () => ({ behavior: "allow", scope: "session" }),
    });
    const context = { suggestions: [TOUCH_RULE] };
    expect(await ask(approvals, "Bash", { command: "touch a" }, context)).toEqual({
      behavior: "allow",
      updatedPermissions: [TOUCH_RULE],
    });
    const [{ id } = { id: "" }] = approvals.records();
    expect(await ask(approvals, "Bash", { command: "touch a" }, context)).toEqual({
      behavior: "allow",
    });
    expect(approvals.records()).toMatchObject([
      { outcome: "expired" },
      { outcome: "granted", grantedBy: id },
    ]);
  });

  it("is a withdrawal when the signal aborts, also while onExpire works", async () => {
    const approvals = open();
    const controller = new AbortController();
    const answer = ask(approvals, "Bash", { command: "ls" }, { signal: controller.signal });
    const { id } = only(approvals);
    controller.abort();
    expect(await answer).toMatchObject({ behavior: "deny" });
    expect(approvals.pending()).toEqual([]);
    expect(await approvals.answer(id, { behavior: "allow" })).toBe("too_late");
    expect(approvals.records()).toMatchObject([{ id, outcome: "withdrawn" }]);
    expect(approvals.records()[0]).not.toHaveProperty("decision");

    const expiring = new AbortController();
    const hanging = open({
      ttlMs: 1,
      onExpire: () => {
        expiring.abort();
        return new Promise(() => {});
      },
    });
    await ask(hanging, "Bash", {}, { signal: expiring.signal });
    expect(hanging.records()).toMatchObject([{ outcome: "withdrawn" }]);
  });

  it("is a denial by close(), which also denies later questions", async () => {
    const approvals = createApprovals({ ttlMs: 60_000 });
    const pending = [ask(approvals), elicit(approvals)];
    await approvals.close();
    await approvals.close();
    expect(await Promise.all(pending)).toMatchObject([{ behavior: "deny" }, { action: "cancel" }]);
    expect(await ask(approvals)).toMatchObject({ behavior: "deny" });
    expect(approvals.records().map(({ outcome }) => outcome)).toEqual([
      "closed",
      "closed",
      "closed",
    ]);
  });
});

describe("an iteration over approvals", () => {
  async function collect(approvals: Approvals): Promise<ApprovalChange[]> {
    const changes: ApprovalChange[] = [];
    for await (const change of approvals) changes.push(change);
    return changes;
  }

  it("begins with what is pending, goes on with every change, and ends with close()", async () => {
    const approvals = createApprovals();
    void ask(approvals, "Bash", { command: "one" });
    const readers = [collect(approvals), collect(approvals)];
    const [first] = approvals.pending();
    void ask(approvals, "Bash", { command: "two" });
    await approvals.answer(first?.id ?? "", { behavior: "allow" }, { by: "ada" });
    await approvals.close();
    for (const changes of await Promise.all(readers)) {
      expect(changes).toMatchObject([
        { type: "asked", approval: { summary: "Bash one" } },
        { type: "asked", approval: { summary: "Bash two" } },
        { type: "answered", id: first?.id, record: { by: "ada", summary: "Bash one" } },
        { type: "closed", record: { summary: "Bash two" } },
      ]);
      expect(JSON.parse(JSON.stringify(changes))).toEqual(changes);
    }
    expect(await collect(approvals)).toEqual([]);
  });

  it("drops the oldest changes of a slow reader, and says how many", async () => {
    const approvals = open({ readerLimit: 3 });
    const reader = approvals[Symbol.asyncIterator]();
    for (let i = 0; i < 5; i += 1) void ask(approvals, "Bash", { command: `${i}` });
    const read = async () => (await reader.next()).value;
    expect(await read()).toEqual({ type: "missed", count: 2 });
    expect([await read(), await read(), await read()]).toMatchObject(
      ["Bash 2", "Bash 3", "Bash 4"].map((summary) => ({ type: "asked", approval: { summary } })),
    );
    const next = read();
    void ask(approvals, "Bash", { command: "5" });
    expect(await next).toMatchObject({ approval: { summary: "Bash 5" } });
    expect(approvals.pending()).toHaveLength(6);
  });

  it("stops listening after break", async () => {
    const approvals = open();
    void ask(approvals);
    for await (const { type } of approvals) {
      expect(type).toBe("asked");
      break;
    }
    const { inspect } = await import("node:util");
    expect(inspect(approvals)).toBe("Approvals { pending: 1, asked: 1, readers: 0 }");
  });
});

describe("audit records", () => {
  it("say who answered what and when, and are bounded", async () => {
    const told: unknown[] = [];
    const approvals = open({ recordLimit: 2, onRecord: (record) => told.push(record) });
    for (const command of ["one", "two", "three"]) {
      void ask(approvals, "Bash", { command });
      await approvals.answer(only(approvals).id, { behavior: "allow" }, { by: command });
    }
    expect(approvals.records().map(({ by }) => by)).toEqual(["two", "three"]);
    expect(told).toHaveLength(3);
    expect(told[0]).toEqual({
      id: expect.any(String),
      kind: "tool",
      outcome: "answered",
      decision: { behavior: "allow" },
      by: "one",
      edited: false,
      summary: "Bash one",
      sessionId: "s1",
      tool: "Bash",
      toolUseId: "toolu_1",
      askedAt: expect.any(String),
      settledAt: expect.any(String),
    });
  });

  it("reach the channels of events, too", async () => {
    const events: object[] = [];
    const listen = (event: object) => void events.push(event);
    for (const each of [CHANNELS.approvalRequested, CHANNELS.approvalAnswered]) {
      each.subscribe(listen);
      onTestFinished(() => void each.unsubscribe(listen));
    }
    const approvals = open();
    void ask(approvals);
    const { id } = only(approvals);
    await approvals.answer(id, { behavior: "allow" }, { by: "ada" });
    const facts = {
      approval: id,
      sessionId: "s1",
      toolUseId: "toolu_1",
      tool: "Bash",
      kind: "tool",
    };
    expect(events).toMatchObject([
      { ...facts, input: { command: "ls" } },
      { ...facts, outcome: "allow", by: "ada", ms: expect.any(Number) },
    ]);
  });
});

describe("the events of approvals", () => {
  it("come in pairs, also if a grant answers; a call that was never a question has none", async () => {
    const events: string[] = [];
    for (const [type, each] of [
      ["asked", CHANNELS.approvalRequested],
      ["ended", CHANNELS.approvalAnswered],
    ] as const) {
      const listen = ({ toolUseId, ...event }: { toolUseId: string | undefined }) => {
        const { outcome = "", by = "" } = event as { outcome?: string; by?: string };
        events.push([toolUseId, type, outcome, by].join(" ").trim());
      };
      each.subscribe(listen);
      onTestFinished(() => void each.unsubscribe(listen));
    }
    const approvals = open();
    const call = (toolUseID: string, context: Context = {}) =>
      ask(approvals, "Bash", { command: "ls" }, { toolUseID, ...context });
    void call("t1");
    void call("t2");
    const [first] = approvals.pending();
    await approvals.answer(first?.id ?? "", { behavior: "allow", scope: "session" }, { by: "ada" });
    await call("t3");
    await call("t4", { signal: AbortSignal.abort() });
    void call("t5", { sessionId: "s2" });
    await approvals.close();
    await call("t6");
    expect(events).toEqual([
      "t1 asked",
      "t2 asked",
      "t1 ended allow ada",
      "t2 ended granted ada",
      "t5 asked",
      "t5 ended deny",
    ]);
    expect(approvals.records().map(({ outcome }) => outcome)).toEqual([
      "answered",
      "granted",
      "granted",
      "withdrawn",
      "closed",
      "closed",
    ]);
  });
});

describe("the diff of a tool call", () => {
  function diffOf(
    tool: string,
    input: Record<string, unknown>,
    files: Record<string, string> = {},
  ) {
    const cwd = mkdtempSync(join(tmpdir(), "hawser-diff-"));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    const approvals = open();
    void ask(approvals, tool, input, { cwd });
    const { diff } = tools(approvals)[0] ?? {};
    if (diff === undefined) return undefined;
    expect(diff.path).toBe(join(cwd, "f"));
    const lines = diff.lines.map(({ sign, text }) => `${sign}${text}`);
    return { ...diff, path: undefined, lines };
  }
  const READ = { path: undefined, file: "read", applies: true, omitted: 0 };

  it("shows an Edit with the lines around it in the file", () => {
    const edit = { file_path: "f", old_string: "three", new_string: "3" };
    expect(diffOf("Edit", edit, { f: "one\r\ntwo\r\nthree\r\nfour\r\n" })).toEqual({
      ...READ,
      lines: [" one", " two", "-three", "+3", " four"],
    });
    expect(diffOf("Edit", { ...edit, old_string: "$&", new_string: "$`" }, { f: "a$&" })).toEqual({
      ...READ,
      lines: ["-a$&", "+a$`"],
    });
    const all = { file_path: "f", old_string: "a", new_string: "b", replace_all: true };
    expect(diffOf("Edit", all, { f: "a\na\n" })?.lines).toEqual(["-a", "-a", "+b", "+b"]);
  });

  it("shows the texts of an Edit that does not fit the file", () => {
    const edit = { file_path: "f", old_string: "x", new_string: "y" };
    expect(diffOf("Edit", edit, { f: "a" })).toMatchObject({ applies: false, lines: ["-x", "+y"] });
    expect(diffOf("Edit", edit)).toMatchObject({ file: "missing", applies: false });
    const made = { ...edit, old_string: "" };
    expect(diffOf("Edit", made)).toMatchObject({ file: "missing", applies: true, lines: ["+y"] });
  });

  it("shows a Write of a new file and of an existing one", () => {
    const write = { file_path: "f", content: "a\nb\n" };
    expect(diffOf("Write", write)).toMatchObject({ file: "missing", lines: ["+a", "+b"] });
    expect(diffOf("Write", write, { f: "a\nc\n" })).toEqual({ ...READ, lines: [" a", "-c", "+b"] });
    expect(diffOf("Write", write, { f: "\0" })).toMatchObject({ file: "binary" });
  });

  it("makes the edits of a MultiEdit one after another", () => {
    const edits = [
      { old_string: "a", new_string: "b" },
      { old_string: "b", new_string: "c" },
    ];
    expect(diffOf("MultiEdit", { file_path: "f", edits }, { f: "a\n" })?.lines).toEqual([
      "-a",
      "+c",
    ]);
  });

  it("shows the cell that a NotebookEdit replaces, inserts or deletes", () => {
    const f = JSON.stringify({ cells: [{ id: "x", source: ["a\n", "b"] }, { source: "c" }] });
    const edit = { notebook_path: "f", cell_id: "x", new_source: "a\nB" };
    expect(diffOf("NotebookEdit", edit, { f })?.lines).toEqual([" a", "-b", "+B"]);
    const second = { ...edit, cell_id: "cell-1", edit_mode: "delete" };
    expect(diffOf("NotebookEdit", second, { f })?.lines).toEqual(["-c"]);
    const inserted = { ...edit, edit_mode: "insert" };
    expect(diffOf("NotebookEdit", inserted, { f })?.lines).toEqual(["+a", "+B"]);
    expect(diffOf("NotebookEdit", edit, { f: "no notebook" })?.lines).toEqual(["+a", "+B"]);
    const decoy = { ...edit, file_path: "other" };
    expect(diffOf("NotebookEdit", decoy, { f, other: "" })?.lines).toEqual([" a", "-b", "+B"]);
  });

  it("is bounded, and absent for other tools", () => {
    const lines = diffOf("Write", { file_path: "f", content: "x\n".repeat(5000) });
    expect([lines?.lines.length, lines?.omitted]).toEqual([2000, 3000]);
    const long = diffOf("Write", { file_path: "f", content: "x".repeat(500_000) });
    expect(long?.lines[0]?.length).toBeLessThan(200_010);
    expect(diffOf("Read", { file_path: "f" })).toBeUndefined();
    expect(diffOf("Write", { file_path: 1, content: "x" })).toBeUndefined();
  });
});

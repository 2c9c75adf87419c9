import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { HookCallback } from "../../src/options/index.js";
import { type RecordedRequest, toolUse } from "../../src/testing/index.js";
import type { PreToolUseHookSpecificOutput } from "../../src/wire/index.js";
import { clisInTurn } from "../support/cli.js";
import { sharedSession } from "./shared-session.helper.js";

/** The CLI ignores a second call with the same id, so the id holds the name of the file. */
const touch = (file: string, id = `toolu_${file}`) =>
  toolUse("Bash", { command: `touch ${file}`, description: "d" }, { id });

const says =
  (output: Omit<PreToolUseHookSpecificOutput, "hookEventName">): HookCallback<"PreToolUse"> =>
  () => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...output } });

/** All that the CLI has told the model, wherever it stands. */
const told = ({ body }: RecordedRequest): string => JSON.stringify(body);

describe.each(clisInTurn())("hooks on $name", ({ path }) => {
  let pre: HookCallback<"PreToolUse">;
  let second: HookCallback<"PreToolUse">;
  let late: HookCallback<"PreToolUse">;
  let post: HookCallback<"PostToolUse">;
  let failure: HookCallback<"PostToolUseFailure">;
  /** What the hooks with a matcher were called for. */
  let matched: string[];
  const note =
    (name: string): HookCallback<"PreToolUse"> =>
    ({ tool_name }) => {
      matched.push(`${name}: ${tool_name}`);
      return undefined;
    };
  const shared = sharedSession(path, {
    allowedTools: ["Bash", "Write"],
    hooks: {
      PreToolUse: [
        { matcher: "Bash", hooks: [note("one")] },
        { matcher: "Write|Edit", hooks: [note("two"), note("three")] },
        { hooks: [note("all"), (...args) => pre(...args), (...args) => second(...args)] },
        { timeout: 1, hooks: [(...args) => late(...args)] },
      ],
      PostToolUse: [{ hooks: [(...args) => post(...args)] }],
      PostToolUseFailure: [{ hooks: [(...args) => failure(...args)] }],
    },
  });
  beforeEach(() => {
    pre = second = late = post = failure = () => undefined;
    matched = [];
  });

  it("receive the call by PreToolUse and the result by PostToolUse", async () => {
    const seen: unknown[] = [];
    pre = ({ hook_event_name, tool_name, tool_input, cwd, permission_mode }, toolUseID) => {
      seen.push({ hook_event_name, tool_name, tool_input, cwd, permission_mode, toolUseID });
      return undefined;
    };
    post = ({ hook_event_name, tool_name, tool_use_id, tool_response }, toolUseID) => {
      seen.push({ hook_event_name, tool_name, tool_use_id, tool_response, toolUseID });
      return {};
    };
    shared.script(touch("told"), "done");
    expect(await shared.session.send("go").text()).toBe("done");
    expect(seen).toEqual([
      {
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: "touch told", description: "d" },
        cwd: shared.cwd,
        permission_mode: "default",
        toolUseID: "toolu_told",
      },
      {
        hook_event_name: "PostToolUse",
        tool_name: "Bash",
        tool_use_id: "toolu_told",
        tool_response: expect.objectContaining({ stdout: "", interrupted: false }),
        toolUseID: "toolu_told",
      },
    ]);
  });

  it("are called only for the tools of their matcher", async () => {
    const write = toolUse("Write", { file_path: join(shared.cwd, "matched-2"), content: "x" });
    shared.script([touch("matched-1"), write], "done");
    await shared.session.send("go").text();
    expect(matched.sort()).toEqual([
      "all: Bash",
      "all: Write",
      "one: Bash",
      "three: Write",
      "two: Write",
    ]);
  });

  it("replace the whole input by updatedInput", async () => {
    pre = says({ permissionDecision: "allow", updatedInput: { command: "touch changed" } });
    shared.script(touch("original"), "done");
    await shared.session.send("go").text();
    expect([shared.made("original"), shared.made("changed")]).toEqual([false, true]);
  });

  it("deny with a reason that reaches the model, although another hook allows", async () => {
    pre = late = says({ permissionDecision: "allow" });
    second = says({ permissionDecision: "deny", permissionDecisionReason: "never on Sunday" });
    shared.script(touch("denied"), "done");
    const result = await shared.session.send("go").result;
    expect(shared.made("denied")).toBe(false);
    expect(shared.calls[1]?.toolResults[0]).toMatchObject({
      text: expect.stringContaining("never on Sunday"),
      isError: true,
    });
    expect(result.permission_denials).toMatchObject([{ tool_use_id: "toolu_denied" }]);
  });

  it("deny when they throw, with a reason that says so", async () => {
    pre = () => Promise.reject(new Error("no guard on duty"));
    shared.script(touch("thrown"), "done");
    await shared.session.send("go").text();
    expect(shared.made("thrown")).toBe(false);
    expect(shared.calls[1]?.toolResults[0]?.text).toContain(
      "A PreToolUse hook failed: no guard on duty",
    );
  });

  it("deny when they pass their timeout, and have their signal aborted", async () => {
    const aborted: unknown[] = [];
    const begun = performance.now();
    late = (_input, _id, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          aborted.push(signal.reason);
          resolve({});
        });
      });
    shared.script(touch("late"), "done");
    await shared.session.send("go").result;
    expect(performance.now() - begun).toBeGreaterThan(950);
    expect(aborted).toEqual([expect.objectContaining({ code: "aborted" })]);
    expect(shared.made("late")).toBe(false);
  });

  it("add context for the model by additionalContext of PostToolUse", async () => {
    post = () => ({
      hookSpecificOutput: {
        hookEventName: "PostToolUse",
        additionalContext: "the disk is almost full",
      },
    });
    shared.script(touch("full"), "done");
    await shared.session.send("go").text();
    expect(shared.calls.map((call) => told(call).includes("the disk is almost full"))).toEqual([
      false,
      true,
    ]);
  });

  it("stop the turn after a call by continue: false of PostToolUse", async () => {
    post = () => ({ continue: false, stopReason: "enough" });
    shared.script(touch("stopped"), "next");
    const { subtype, is_error, terminal_reason } = await shared.session.send("go").result;
    expect({ subtype, is_error, terminal_reason }).toEqual({
      subtype: "success",
      is_error: false,
      terminal_reason: "hook_stopped",
    });
    expect(shared.made("stopped")).toBe(true);
    expect(shared.calls).toHaveLength(1);
    expect(await shared.session.send("second").text()).toBe("next");
  });

  it("receive a failed call by PostToolUseFailure instead of PostToolUse", async () => {
    const seen: unknown[] = [];
    post = () => void seen.push("PostToolUse") as undefined;
    failure = ({ tool_name, error, is_interrupt }) => {
      seen.push({ tool_name, error, is_interrupt });
      return undefined;
    };
    shared.script(toolUse("Bash", { command: "exit 3", description: "d" }), "done");
    await shared.session.send("go").text();
    expect(seen).toEqual([
      { tool_name: "Bash", error: expect.stringContaining("3"), is_interrupt: false },
    ]);
  });
});

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HookCallback } from "../../src/options/index.js";
import { type RecordedRequest, toolUse } from "../../src/testing/index.js";
import type { PreToolUseHookSpecificOutput } from "../../src/wire/index.js";
import { clisInTurn } from "../support/cli.js";
import { open } from "../support/open-session.js";

const touch = (file: string, id = "toolu_1") =>
  toolUse("Bash", { command: `touch ${file}`, description: "d" }, { id });

const says =
  (output: Omit<PreToolUseHookSpecificOutput, "hookEventName">): HookCallback<"PreToolUse"> =>
  () => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...output } });

/** All that the CLI has told the model, wherever it stands. */
const told = ({ body }: RecordedRequest): string => JSON.stringify(body);

describe.each(clisInTurn())("a hook on $name", ({ path }) => {
  it("is told of the call by PreToolUse and of its result by PostToolUse", async () => {
    const seen: unknown[] = [];
    const { session, cwd } = await open(path, [touch("a"), "done"], {
      allowedTools: ["Bash"],
      hooks: {
        PreToolUse: [
          {
            hooks: [
              ({ hook_event_name, tool_name, tool_input, cwd, permission_mode }, toolUseID) => {
                seen.push({
                  hook_event_name,
                  tool_name,
                  tool_input,
                  cwd,
                  permission_mode,
                  toolUseID,
                });
                return undefined;
              },
            ],
          },
        ],
        PostToolUse: [
          {
            hooks: [
              ({ hook_event_name, tool_name, tool_use_id, tool_response }, toolUseID) => {
                seen.push({ hook_event_name, tool_name, tool_use_id, tool_response, toolUseID });
                return {};
              },
            ],
          },
        ],
      },
    });
    expect(await session.send("go").text()).toBe("done");
    expect(seen).toEqual([
      {
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: "touch a", description: "d" },
        cwd,
        permission_mode: "default",
        toolUseID: "toolu_1",
      },
      {
        hook_event_name: "PostToolUse",
        tool_name: "Bash",
        tool_use_id: "toolu_1",
        tool_response: expect.objectContaining({ stdout: "", interrupted: false }),
        toolUseID: "toolu_1",
      },
    ]);
  });

  it("is called only for the tools of its matcher", async () => {
    const seen: string[] = [];
    const note =
      (name: string): HookCallback<"PreToolUse"> =>
      ({ tool_name }) => {
        seen.push(`${name}: ${tool_name}`);
        return undefined;
      };
    const write = (cwd: string) => toolUse("Write", { file_path: join(cwd, "b"), content: "x" });
    const { session, model, cwd } = await open(path, [], {
      allowedTools: ["Bash", "Write"],
      hooks: {
        PreToolUse: [
          { matcher: "Bash", hooks: [note("one")] },
          { matcher: "Write|Edit", hooks: [note("two"), note("three")] },
          { hooks: [note("all")] },
        ],
      },
    });
    model.add([touch("a"), write(cwd)], "done");
    await session.send("go").text();
    expect(seen.sort()).toEqual([
      "all: Bash",
      "all: Write",
      "one: Bash",
      "three: Write",
      "two: Write",
    ]);
  });

  it("can change the input, wholly", async () => {
    const { session, made } = await open(path, [touch("a"), "done"], {
      hooks: {
        PreToolUse: [
          {
            hooks: [says({ permissionDecision: "allow", updatedInput: { command: "touch b" } })],
          },
        ],
      },
    });
    await session.send("go").text();
    expect([made("a"), made("b")]).toEqual([false, true]);
  });

  it("denies for a reason that reaches the model, though another hook allows", async () => {
    const allow = says({ permissionDecision: "allow" });
    const deny = says({ permissionDecision: "deny", permissionDecisionReason: "never on Sunday" });
    const { session, model, made } = await open(path, [touch("a"), "done"], {
      allowedTools: ["Bash"],
      hooks: { PreToolUse: [{ hooks: [allow, deny] }, { hooks: [allow] }] },
    });
    const result = await session.send("go").result;
    expect(made("a")).toBe(false);
    expect(model.calls[1]?.toolResults[0]).toMatchObject({
      text: expect.stringContaining("never on Sunday"),
      isError: true,
    });
    expect(result.permission_denials).toMatchObject([{ tool_use_id: "toolu_1" }]);
  });

  it("that broke denies for a reason that says so", async () => {
    const { session, model, made } = await open(path, [touch("a"), "done"], {
      allowedTools: ["Bash"],
      hooks: { PreToolUse: [{ hooks: [() => Promise.reject(new Error("no guard on duty"))] }] },
    });
    await session.send("go").text();
    expect(made("a")).toBe(false);
    expect(model.calls[1]?.toolResults[0]?.text).toContain(
      "A PreToolUse hook failed: no guard on duty",
    );
  });

  it("that is too late is refused, and sees its signal aborted", async () => {
    const aborted: unknown[] = [];
    const begun = performance.now();
    const { session, made } = await open(path, [touch("a"), "done"], {
      allowedTools: ["Bash"],
      hooks: {
        PreToolUse: [
          {
            timeout: 1,
            hooks: [
              (_input, _id, { signal }) =>
                new Promise((resolve) => {
                  signal.addEventListener("abort", () => {
                    aborted.push(signal.reason);
                    resolve({});
                  });
                }),
            ],
          },
        ],
      },
    });
    await session.send("go").result;
    expect(performance.now() - begun).toBeGreaterThan(950);
    expect(aborted).toEqual([expect.objectContaining({ code: "aborted" })]);
    expect(made("a")).toBe(false);
  });

  it("adds context for the model after a call", async () => {
    const { session, model } = await open(path, [touch("a"), "done"], {
      allowedTools: ["Bash"],
      hooks: {
        PostToolUse: [
          {
            hooks: [
              () => ({
                hookSpecificOutput: {
                  hookEventName: "PostToolUse",
                  additionalContext: "the disk is almost full",
                },
              }),
            ],
          },
        ],
      },
    });
    await session.send("go").text();
    expect(model.calls.map((call) => told(call).includes("the disk is almost full"))).toEqual([
      false,
      true,
    ]);
  });

  it("stops the turn after a call by continue: false", async () => {
    const { session, model, made } = await open(path, [touch("a"), "next"], {
      allowedTools: ["Bash"],
      hooks: { PostToolUse: [{ hooks: [() => ({ continue: false, stopReason: "enough" })] }] },
    });
    const { subtype, is_error, terminal_reason } = await session.send("go").result;
    expect({ subtype, is_error, terminal_reason }).toEqual({
      subtype: "success",
      is_error: false,
      terminal_reason: "hook_stopped",
    });
    expect(made("a")).toBe(true);
    expect(model.calls).toHaveLength(1);
    expect(await session.send("second").text()).toBe("next");
  });

  it("is told of a call that failed", async () => {
    const seen: unknown[] = [];
    const replies = [toolUse("Bash", { command: "exit 3", description: "d" }), "done"];
    const { session } = await open(path, replies, {
      allowedTools: ["Bash"],
      hooks: {
        PostToolUse: [{ hooks: [() => void seen.push("PostToolUse") as undefined] }],
        PostToolUseFailure: [
          {
            hooks: [
              ({ tool_name, error, is_interrupt }) => {
                seen.push({ tool_name, error, is_interrupt });
                return undefined;
              },
            ],
          },
        ],
      },
    });
    await session.send("go").text();
    expect(seen).toEqual([
      { tool_name: "Bash", error: expect.stringContaining("3"), is_interrupt: false },
    ]);
  });
});

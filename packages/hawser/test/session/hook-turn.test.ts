import { describe, expect, expectTypeOf, it, onTestFinished } from "vitest";
import type { HookCallback, Hooks } from "../../src/options/index.js";
import { openSession } from "../../src/session/index.js";
import { fakeCli, type ReplyScript, toolUse } from "../../src/testing/index.js";
import type { StopHookInput, UserPromptSubmitHookInput } from "../../src/wire/index.js";
import { clisInTurn } from "../support/cli.js";
import { open } from "../support/open-session.js";
import { recordingLogger } from "../support/recording-logger.js";

describe.each(clisInTurn())("a hook around the turn on $name", ({ path }) => {
  it("blocks a prompt by UserPromptSubmit before the model sees it; the next one passes", async () => {
    const { session, model } = await open(path, ["hello"], {
      hooks: {
        UserPromptSubmit: [
          {
            hooks: [
              ({ prompt }) =>
                prompt.includes("secret") ? { decision: "block", reason: "keep it" } : {},
            ],
          },
        ],
      },
    });
    const { subtype, num_turns } = await session.send("the secret").result;
    expect({ subtype, num_turns }).toEqual({ subtype: "success", num_turns: 0 });
    expect(model.calls).toEqual([]);
    expect(await session.send("something else").text()).toBe("hello");
    expect(JSON.stringify(model.calls[0]?.body)).not.toContain("the secret");
  });

  it("adds context to a prompt", async () => {
    const { session, model } = await open(path, ["hello"], {
      hooks: {
        UserPromptSubmit: [
          {
            hooks: [
              () => ({
                hookSpecificOutput: {
                  hookEventName: "UserPromptSubmit",
                  additionalContext: "it is Sunday",
                },
              }),
            ],
          },
        ],
      },
    });
    await session.send("go").text();
    expect(JSON.stringify(model.calls[0]?.body)).toContain("it is Sunday");
  });

  it("keeps the model going by Stop, once", async () => {
    const active: boolean[] = [];
    const { session, model } = await open(path, ["done?", "done!"], {
      hooks: {
        Stop: [
          {
            hooks: [
              ({ stop_hook_active }) => {
                active.push(stop_hook_active);
                return stop_hook_active ? {} : { decision: "block", reason: "look again" };
              },
            ],
          },
        ],
      },
    });
    expect((await session.send("go").result).result).toBe("done!");
    expect(active).toEqual([false, true]);
    expect(model.calls).toHaveLength(2);
    expect(model.calls[1]?.prompt).toContain("look again");
  });

  it("is told of a sub-agent's start and end", async () => {
    const seen: unknown[] = [];
    const look = { description: "look", prompt: "look around", subagent_type: "general-purpose" };
    const replies: ReplyScript = ({ prompt, toolResults }) => {
      if (prompt.includes("look around")) return "all quiet";
      if (toolResults.length > 0) return "done";
      return toolUse("Agent", { ...look, run_in_background: false });
    };
    const { session } = await open(path, replies, {
      hooks: {
        SubagentStart: [
          {
            hooks: [
              ({ hook_event_name, agent_type }) => {
                seen.push({ hook_event_name, agent_type });
                return undefined;
              },
            ],
          },
        ],
        SubagentStop: [
          {
            hooks: [
              ({ hook_event_name, agent_type, last_assistant_message }) => {
                seen.push({ hook_event_name, agent_type, last_assistant_message });
                return undefined;
              },
            ],
          },
        ],
      },
    });
    await session.send("go").text();
    await session.idle();
    expect(seen).toEqual([
      { hook_event_name: "SubagentStart", agent_type: "general-purpose" },
      {
        hook_event_name: "SubagentStop",
        agent_type: "general-purpose",
        last_assistant_message: "all quiet",
      },
    ]);
  });

  it("of SessionStart and SessionEnd is called around /clear only, and registering it says so", async () => {
    const { logger, entries } = recordingLogger();
    const seen: string[] = [];
    const { session } = await open(path, ["one", "two"], {
      logger,
      hooks: {
        SessionStart: [
          {
            hooks: [
              ({ source }) => {
                seen.push(`start: ${source}`);
                return undefined;
              },
            ],
          },
        ],
        SessionEnd: [
          {
            hooks: [
              ({ reason }) => {
                seen.push(`end: ${reason}`);
                return undefined;
              },
            ],
          },
        ],
      },
    });
    const warnings = entries.filter(({ level }) => level === "warn").map(({ message }) => message);
    expect(warnings).toEqual(
      ["SessionStart", "SessionEnd"].map((event) => expect.stringContaining(`hooks.${event}:`)),
    );
    await session.send("first").text();
    expect(seen).toEqual([]);
    await session.command("/clear").result;
    expect(await session.send("second").text()).toBe("two");
    await session.close();
    expect(seen).toEqual(["end: clear", "start: clear"]);
  });

  it("that throws where it guards nothing stops nothing", async () => {
    const { logger, entries } = recordingLogger();
    const broken = () => {
      throw new Error("no ink");
    };
    const replies = [toolUse("Bash", { command: "echo hi", description: "d" }), "done"];
    const { session } = await open(path, replies, {
      logger,
      hooks: { PostToolUse: [{ hooks: [broken] }], Stop: [{ hooks: [broken] }] },
    });
    expect(await session.send("go").text()).toBe("done");
    const errors = entries.filter(({ level }) => level === "error").map(({ message }) => message);
    expect(errors).toEqual(["A PostToolUse hook failed", "A Stop hook failed"]);
  });
});

describe("the host", () => {
  it("answers an error for a hook that nobody registered", async () => {
    const request = { subtype: "hook_callback", callback_id: "hook_9", input: {} };
    const ask = { type: "control_request", request_id: "q1", request };
    const cli = await fakeCli({
      steps: [
        { on: "user", do: [{ emit: ask }] },
        { on: "response", do: [{ turn: "thanks" }] },
      ],
    });
    onTestFinished(() => cli.dispose());
    const session = await openSession({ cliPath: cli.path });
    onTestFinished(() => session.close());
    expect(await session.send("go").text()).toBe("thanks");
    const lines = (await cli.recorded()).flatMap((each) => each.lines);
    const answers = lines.map((line) => JSON.parse(line)).filter(({ response }) => response);
    expect(answers).toEqual([
      {
        type: "control_response",
        response: {
          subtype: "error",
          request_id: "q1",
          error: "There is no hook callback hook_9.",
        },
      },
    ]);
  });

  it("tells each hook what its event brings, by type", () => {
    type InputOf<E extends keyof Hooks> = Parameters<
      NonNullable<Hooks[E]>[number]["hooks"][number]
    >[0];
    expectTypeOf<InputOf<"Stop">>().toEqualTypeOf<StopHookInput>();
    expectTypeOf<InputOf<"UserPromptSubmit">>().toEqualTypeOf<UserPromptSubmitHookInput>();
    // A callback for any event serves every event.
    expectTypeOf<HookCallback>().toExtend<HookCallback<"Stop">>();
    expectTypeOf<HookCallback<"Stop">>().not.toExtend<HookCallback<"PreToolUse">>();
  });
});

import { beforeEach, describe, expect, expectTypeOf, it, onTestFinished } from "vitest";
import type { HookCallback, Hooks } from "../../src/options/index.js";
import { openSession } from "../../src/session/index.js";
import { always, fakeCli, toolUse } from "../../src/testing/index.js";
import type { StopHookInput, UserPromptSubmitHookInput } from "../../src/wire/index.js";
import { clisInTurn } from "../support/cli.js";
import { open } from "../support/open-session.js";
import { recordingLogger } from "../support/recording-logger.js";
import { sharedSession } from "./shared-session.helper.js";

describe.each(clisInTurn())("hooks around the turn on $name", ({ path }) => {
  let prompt: HookCallback<"UserPromptSubmit">;
  let stop: HookCallback<"Stop">;
  let post: HookCallback<"PostToolUse">;
  let subagents: unknown[];
  const { logger, entries } = recordingLogger();
  const shared = sharedSession(path, {
    logger,
    hooks: {
      UserPromptSubmit: [{ hooks: [(...args) => prompt(...args)] }],
      Stop: [{ hooks: [(...args) => stop(...args)] }],
      PostToolUse: [{ hooks: [(...args) => post(...args)] }],
      SubagentStart: [
        {
          hooks: [
            ({ hook_event_name, agent_type }) => {
              subagents.push({ hook_event_name, agent_type });
              return undefined;
            },
          ],
        },
      ],
      SubagentStop: [
        {
          hooks: [
            ({ hook_event_name, agent_type, last_assistant_message }) => {
              subagents.push({ hook_event_name, agent_type, last_assistant_message });
              return undefined;
            },
          ],
        },
      ],
    },
  });
  beforeEach(() => {
    prompt = stop = post = () => ({});
    subagents = [];
    entries.length = 0;
  });

  it("block a prompt by UserPromptSubmit before the model sees it", async () => {
    const { session } = shared;
    shared.script("hello");
    prompt = ({ prompt }) =>
      prompt.includes("secret") ? { decision: "block", reason: "keep it" } : {};
    const { subtype, num_turns } = await session.send("the secret").result;
    expect({ subtype, num_turns }).toEqual({ subtype: "success", num_turns: 0 });
    expect(shared.calls).toEqual([]);
    expect(await session.send("something else").text()).toBe("hello");
    expect(JSON.stringify(shared.calls[0]?.body)).not.toContain("the secret");
  });

  it("add context to a prompt by UserPromptSubmit", async () => {
    shared.script("hello");
    prompt = () => ({
      hookSpecificOutput: {
        hookEventName: "UserPromptSubmit",
        additionalContext: "it is Sunday",
      },
    });
    await shared.session.send("go").text();
    expect(JSON.stringify(shared.calls[0]?.body)).toContain("it is Sunday");
  });

  it("make the model continue by Stop, with stop_hook_active the second time", async () => {
    const active: boolean[] = [];
    shared.script("done?", "done!");
    stop = ({ stop_hook_active }) => {
      active.push(stop_hook_active);
      return stop_hook_active ? {} : { decision: "block", reason: "look again" };
    };
    expect((await shared.session.send("go").result).result).toBe("done!");
    expect(active).toEqual([false, true]);
    expect(shared.calls).toHaveLength(2);
    expect(shared.calls[1]?.prompt).toContain("look again");
  });

  it("receive the start and the end of a sub-agent", async () => {
    const look = { description: "look", prompt: "look around", subagent_type: "general-purpose" };
    shared.script(
      always(({ prompt, toolResults }) => {
        if (prompt.includes("look around")) return "all quiet";
        if (toolResults.length > 0) return "done";
        return toolUse("Agent", { ...look, run_in_background: false });
      }),
    );
    await shared.session.send("go").text();
    await shared.session.idle();
    expect(subagents).toEqual([
      { hook_event_name: "SubagentStart", agent_type: "general-purpose" },
      {
        hook_event_name: "SubagentStop",
        agent_type: "general-purpose",
        last_assistant_message: "all quiet",
      },
    ]);
  });

  it("do not stop the turn when a PostToolUse or Stop hook throws", async () => {
    post = stop = () => {
      throw new Error("no ink");
    };
    shared.script(toolUse("Bash", { command: "echo hi", description: "d" }), "done");
    expect(await shared.session.send("go").text()).toBe("done");
    const errors = entries.filter(({ level }) => level === "error").map(({ message }) => message);
    expect(errors).toEqual(["A PostToolUse hook failed", "A Stop hook failed"]);
  });
});

describe.each(clisInTurn())("SessionStart and SessionEnd hooks on $name", ({ path }) => {
  it("are called only around /clear, and cause a warning about that", async () => {
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
});

describe("a hook_callback request", () => {
  it("gets an error when its callback_id is not registered", async () => {
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

  it("has the input type of its event in the types of Hooks", () => {
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

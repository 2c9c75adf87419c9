import { describe, expect, it } from "vitest";
import {
  buildInvocation,
  type CliFacts,
  type Hooks,
  numberHooks,
  parseVersion,
} from "../../src/options/index.js";
import { HOST, NEWEST } from "./facts.helper.js";

const cli = (text: string): CliFacts => ({ path: "/usr/bin/claude", version: parseVersion(text) });

const hook = () => ({});

describe("hooks", () => {
  it("are called by the ids under which they are registered", () => {
    const [a, b, c] = [() => ({}), () => ({}), () => ({})];
    const { registrations, callbacks } = numberHooks({
      Stop: [{ hooks: [a] }],
      PreToolUse: [{ matcher: "Bash", hooks: [b, c], timeout: 5 }],
    });
    expect(registrations).toEqual({
      Stop: [{ hookCallbackIds: ["hook_0"] }],
      PreToolUse: [
        {
          matcher: "Bash",
          hookCallbackIds: ["hook_1", "hook_2"],
          timeout: 5,
          onFailure: "block",
        },
      ],
    });
    expect([...callbacks]).toEqual([
      ["hook_0", { callback: a, event: "Stop", onFailure: "continue", timeout: 600 }],
      ["hook_1", { callback: b, event: "PreToolUse", onFailure: "block", timeout: 5 }],
      ["hook_2", { callback: c, event: "PreToolUse", onFailure: "block", timeout: 5 }],
    ]);
  });

  it("ignore an event whose value is undefined", () => {
    const { registrations, callbacks } = numberHooks({ Stop: undefined });
    expect({ registrations, size: callbacks.size }).toEqual({ registrations: {}, size: 0 });
  });
});

describe("a PreToolUse hook that throws", () => {
  const guard: Hooks = { PreToolUse: [{ hooks: [hook] }] };

  it("blocks the call unless onFailure says otherwise", () => {
    expect(sent(guard)).toEqual({
      PreToolUse: [{ hookCallbackIds: ["hook_0"], onFailure: "block" }],
    });
    expect(sent({ PreToolUse: [{ hooks: [hook], onFailure: "continue" }] })).toEqual({
      PreToolUse: [{ hookCallbackIds: ["hook_0"] }],
    });
    expect(sent({ PostToolUse: [{ hooks: [hook] }] })).toEqual({
      PostToolUse: [{ hookCallbackIds: ["hook_0"] }],
    });
  });

  it.each(["2.1.197", "2.1.316"])(
    "is left to the host on %s, which does not know onFailure",
    (version) => {
      const explicit: Hooks = { PreToolUse: [{ hooks: [hook], onFailure: "block" }] };
      for (const hooks of [guard, explicit]) {
        const { initialize, warnings } = buildInvocation({ hooks }, cli(version), HOST);
        expect(initialize.hooks).toEqual({ PreToolUse: [{ hookCallbackIds: ["hook_0"] }] });
        expect(warnings).toEqual([]);
      }
    },
  );

  it("is left to the first CLI version that knows onFailure", () => {
    expect(buildInvocation({ hooks: guard }, cli("2.1.317"), HOST).initialize.hooks).toEqual(
      sent(guard),
    );
  });
});

describe("a policy hook that throws", () => {
  const rules = [{ tool: "Bash", decision: "allow" }] as const;
  const hooks: Hooks = { PreToolUse: [{ hooks: [hook], onFailure: "continue" }] };
  const second = { hookCallbackIds: ["hook_0"] };

  it("blocks, and runs before the hooks of the options", () => {
    const { initialize } = buildInvocation({ rules, hooks }, cli("2.1.317"), HOST);
    const policy = { hookCallbackIds: ["hawser_policy"], onFailure: "block" };
    expect(initialize.hooks).toEqual({ PreToolUse: [policy, second] });
  });

  it("is left to the host on a CLI that does not know onFailure", () => {
    const { initialize, warnings } = buildInvocation({ rules, hooks }, cli("2.1.316"), HOST);
    const policy = { hookCallbackIds: ["hawser_policy"] };
    expect({ hooks: initialize.hooks, warnings }).toEqual({
      hooks: { PreToolUse: [policy, second] },
      warnings: [],
    });
  });
});

describe("a hook for the start or the end of a session", () => {
  it.each(["SessionStart", "SessionEnd"] as const)("%s comes with a warning", (event) => {
    const { warnings } = buildInvocation({ hooks: { [event]: [{ hooks: [hook] }] } }, NEWEST, HOST);
    expect(warnings).toEqual([
      `hooks.${event}: callbacks do not fire at the start and the end of the process, only around /clear; for those use a hook of a settings file.`,
    ]);
  });
});

function sent(hooks: Hooks): unknown {
  return buildInvocation({ hooks }, NEWEST, HOST).initialize.hooks;
}

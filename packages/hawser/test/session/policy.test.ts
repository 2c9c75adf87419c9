import { describe, expect, it } from "vitest";
import type { PolicyRule } from "../../src/options/index.js";
import { explainPermission } from "../../src/session/index.js";
import { fc } from "../support/fc.js";

/** Which of the rules fits, by its number from 0. */
function fits(rules: readonly Omit<PolicyRule, "decision">[], input = {}, tool = "Bash") {
  const decided = rules.map((rule) => ({ ...rule, decision: "allow" as const }));
  return explainPermission(decided, tool, input).index;
}

describe("explainPermission", () => {
  it("names the first rule that fits", () => {
    const rules: PolicyRule[] = [
      { tool: "Bash", input: { command: "rm *" }, decision: "deny" },
      { tool: "Bash", input: { command: "git *" }, decision: "allow" },
      { tool: "Bash", decision: "ask" },
      { tool: "*", decision: "deny" },
    ];
    expect(explainPermission(rules, "Bash", { command: "git status" })).toEqual({
      decision: "allow",
      rule: rules[1],
      index: 1,
      reason: 'Rule 2 (allow Bash {"command":"git *"}) decides.',
    });
    expect(explainPermission(rules, "Bash", { command: "rm git " }).index).toBe(0);
    expect(explainPermission(rules, "Bash", { command: "ls" }).index).toBe(2);
    expect(explainPermission(rules, "Write", {})).toEqual({
      decision: "deny",
      rule: rules[3],
      index: 3,
      reason: "Rule 4 (deny *) decides.",
    });
  });

  it("denies what no rule fits, unless told otherwise", () => {
    expect(explainPermission([], "Bash", {})).toEqual({
      decision: "deny",
      reason: "No rule matches Bash, so the default decides: deny.",
    });
    expect(explainPermission([], "Bash", {}, "ask")).toEqual({
      decision: "ask",
      reason: "No rule matches Bash, so the default decides: ask.",
    });
  });

  it("takes a star in a tool's name for any characters, and nothing else for a pattern", () => {
    expect(fits([{ tool: "mcp__git__*" }], {}, "mcp__git__push")).toBe(0);
    expect(fits([{ tool: "mcp__*__push" }], {}, "mcp__git__push")).toBe(0);
    expect(fits([{ tool: "mcp__git__*" }], {}, "mcp__gitlab__push")).toBeUndefined();
    expect(fits([{ tool: "B.sh" }])).toBeUndefined();
    expect(fits([{ tool: "Bas" }])).toBeUndefined();
    expect(fits([{ tool: "bash" }])).toBeUndefined();
    expect(fits([{ tool: "Bash*Bash" }])).toBeUndefined();
  });

  it.each([
    ["Task", "Agent"],
    ["Agent", "Task"],
    ["KillBash", "TaskStop"],
    ["KillBash", "KillShell"],
    ["ReadMcpResource", "ReadMcpResourceTool"],
  ])("fits a tool that was renamed: a rule for %s, a call of %s", (tool, called) => {
    expect(fits([{ tool: "Other" }, { tool }], {}, called)).toBe(1);
    expect(fits([{ tool, input: { a: 1 } }], { a: 2 }, called)).toBeUndefined();
  });

  it("lets a pattern for an older name deny and ask, but not allow, the newer one", () => {
    const decide = (decision: PolicyRule["decision"]) =>
      explainPermission([{ tool: "Task*", decision }], "Agent", {}).index;
    expect([decide("deny"), decide("ask"), decide("allow")]).toEqual([0, 0, undefined]);
    expect(fits([{ tool: "Task*" }], {}, "TaskList")).toBe(0);
    expect(fits([{ tool: "*" }], {}, "Agent")).toBe(0);
  });

  describe.each(["deny", "ask"] as const)("with a rule that says %s", (decision) => {
    const rules: PolicyRule[] = [
      { tool: "Bash", input: { command: "rm *" }, decision },
      { tool: "Edit", input: { file_path: "/etc/*" }, decision },
      { tool: "Read", input: { file_path: "/secret/*" }, decision },
      { tool: "*", decision: "allow" },
    ];

    it.each([
      { tool: "Monitor", input: { command: "rm -r notes" }, index: 0 },
      { tool: "PowerShell", input: { command: "rm -r notes" }, index: 0 },
      { tool: "Write", input: { file_path: "/etc/passwd" }, index: 1 },
      { tool: "NotebookEdit", input: { notebook_path: "/etc/a.ipynb" }, index: 1 },
      { tool: "Grep", input: { pattern: "x", path: "/secret/a" }, index: 2 },
    ])("covers a call of $tool that does the same", ({ tool, input, index }) => {
      expect(explainPermission(rules, tool, input)).toMatchObject({
        decision,
        index,
        reason: expect.stringContaining(`decides, because ${tool} does what `),
      });
    });

    it("does not cover a call of Monitor with another command", () => {
      expect(explainPermission(rules, "Monitor", { command: "ls" }).index).toBe(3);
    });

    it("covers Monitor by a rule for Bash without a command", () => {
      const policy: PolicyRule[] = [
        { tool: "Bash", decision },
        { tool: "*", decision: "allow" },
      ];
      expect(explainPermission(policy, "Monitor", { command: "ls" }).decision).toBe(decision);
      expect(explainPermission(policy, "REPL", { code: "1" }).decision).toBe("allow");
    });
  });

  describe.each(["Write", "Edit"])("with a rule on %s", (tool) => {
    const calls: [string, Record<string, unknown>][] = [
      ["Write", { file_path: "/etc/a", content: "x" }],
      ["Edit", { file_path: "/etc/a", old_string: "y", new_string: "x" }],
      ["Edit", { file_path: "/etc/a", old_string: "", new_string: "x" }],
      ["MultiEdit", { file_path: "/etc/a", edits: [{ old_string: "", new_string: "x" }] }],
      ["MultiEdit", { file_path: "/etc/a", edits: [{ old_string: "y", new_string: "x" }] }],
      ["MultiEdit", { file_path: "/etc/a" }],
      ["NotebookEdit", { notebook_path: "/etc/a", new_source: "x" }],
    ];
    const decide = (rule: PolicyRule, called: string, input: Record<string, unknown>) =>
      explainPermission([rule], called, input, rule.decision === "allow" ? "deny" : "allow");

    it.each(calls)("that denies or asks, covers %s %j", (called, input) => {
      for (const decision of ["deny", "ask"] as const) {
        expect(decide({ tool, decision }, called, input).decision).toBe(decision);
        const rule: PolicyRule = { tool, input: { file_path: "/etc/*" }, decision };
        expect(decide(rule, called, input).decision).toBe(decision);
        const other: PolicyRule = { tool, input: { file_path: "/home/*" }, decision };
        expect(decide(other, called, input).decision).toBe("allow");
      }
    });

    it.each(calls)("that allows, covers %s %j only if it is the same tool", (called, input) => {
      const { decision } = decide({ tool, decision: "allow" }, called, input);
      expect(decision).toBe(called === tool ? "allow" : "deny");
    });
  });

  it("compares the text that an edit writes with the content in a rule on Write", () => {
    const rules: PolicyRule[] = [
      { tool: "Write", input: { content: "*key*" }, decision: "deny" },
      { tool: "*", decision: "allow" },
    ];
    const decide = (tool: string, input: Record<string, unknown>) =>
      explainPermission(rules, tool, { file_path: "/a", ...input }).decision;
    expect(decide("Edit", { old_string: "a", new_string: "the key" })).toBe("deny");
    expect(decide("Edit", { old_string: "the key", new_string: "a" })).toBe("allow");
    const edits = [{ new_string: "a" }, { new_string: "the key" }];
    expect(decide("MultiEdit", { edits })).toBe("deny");
    expect(decide("MultiEdit", { edits: edits.slice(0, 1) })).toBe("allow");
  });

  it("lets a text in a rule that denies or asks fit one item of a list", () => {
    for (const decision of ["deny", "ask"] as const) {
      const decide = (files: unknown) =>
        explainPermission(
          [{ tool: "SendUserFile", input: { files: "/etc/*" }, decision }],
          "SendUserFile",
          { files },
          "allow",
        ).decision;
      expect(decide("/etc/passwd")).toBe(decision);
      expect(decide(["/etc/passwd"])).toBe(decision);
      expect(decide(["/home/a", "/etc/passwd"])).toBe(decision);
      expect(decide([["/etc/passwd"]])).toBe(decision);
      expect(decide(["/home/a"])).toBe("allow");
      expect(decide([])).toBe("allow");
    }
  });

  it("wants a text in a rule that allows to fit every item of a list, and at least one", () => {
    const rule = { tool: "SendUserFile", input: { files: "/etc/*" } };
    const allows = (files: unknown) => fits([rule], { files }, "SendUserFile") === 0;
    expect(allows(["/etc/passwd", "/etc/group"])).toBe(true);
    expect(allows(["/etc/passwd", "/home/a"])).toBe(false);
    expect(allows(["/etc/passwd", 1])).toBe(false);
    expect(allows([])).toBe(false);
  });

  it("does not let a rule that allows Bash allow Monitor", () => {
    const rules: PolicyRule[] = [{ tool: "Bash", decision: "allow" }];
    expect(explainPermission(rules, "Monitor", { command: "ls" }).decision).toBe("deny");
  });

  it("lets a rule that names Monitor decide before a later rule for Bash", () => {
    const rules: PolicyRule[] = [
      { tool: "Monitor", input: { command: "tail *" }, decision: "allow" },
      { tool: "Bash", decision: "deny" },
      { tool: "*", decision: "allow" },
    ];
    expect(explainPermission(rules, "Monitor", { command: "tail -f a" }).decision).toBe("allow");
    expect(explainPermission(rules, "Monitor", { command: "rm a" }).decision).toBe("deny");
  });

  it("does not take what every object inherits for a tool that was renamed", () => {
    expect(fits([{ tool: "Object" }], {}, "constructor")).toBeUndefined();
    expect(fits([{ tool: "constructor" }], {}, "constructor")).toBe(0);
  });

  it("lets a star stand for line ends too", () => {
    expect(fits([{ tool: "Bash", input: { command: "git *" } }], { command: "git a\nb" })).toBe(0);
  });

  it("looks into objects, where more may stand than a rule names", () => {
    const rule = { tool: "Bash", input: { options: { path: "/tmp/*", force: true } } };
    expect(fits([rule], { options: { path: "/tmp/x", force: true, more: 1 }, other: 2 })).toBe(0);
    expect(fits([rule], { options: { path: "/tmp/x" } })).toBeUndefined();
    expect(fits([rule], { options: "/tmp/x" })).toBeUndefined();
    expect(fits([rule], { options: null })).toBeUndefined();
    expect(fits([rule], {})).toBeUndefined();
  });

  it("wants lists of the same length, item by item", () => {
    const rule = { tool: "Bash", input: { args: ["*.ts", { deep: 1 }] } };
    expect(fits([rule], { args: ["a.ts", { deep: 1, more: 2 }] })).toBe(0);
    expect(fits([rule], { args: ["a.ts"] })).toBeUndefined();
    expect(fits([rule], { args: ["a.ts", { deep: 1 }, 3] })).toBeUndefined();
    expect(fits([rule], { args: [{ deep: 1 }, "a.ts"] })).toBeUndefined();
    expect(fits([rule], { args: { 0: "a.ts", 1: { deep: 1 } } })).toBeUndefined();
  });

  it("tells numbers, booleans, null and text apart", () => {
    const values = [1, "1", true, "true", null, "null", 0, false, ""];
    for (const [i, value] of values.entries()) {
      const fitting = values.filter(
        (it) => fits([{ tool: "*", input: { it } }], { it: value }) === 0,
      );
      expect(fitting).toEqual([values[i]]);
    }
    expect(fits([{ tool: "*", input: { it: 0 } }], { it: -0 })).toBe(0);
  });

  it("does not take what every object inherits for a field of the input", () => {
    expect(fits([{ tool: "*", input: { toString: "*" } }], {})).toBeUndefined();
    expect(fits([{ tool: "*", input: { constructor: {} } }], {})).toBeUndefined();
  });

  it("agrees with a regular expression on every pattern and text", () => {
    const piece = fc.constantFrom("*", "a", "b", "ab", ".", "\n", "\u2028", "(", "\\", "é", "😀");
    const words = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(words, words, (tool, name) => {
        const quoted = tool.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("\\*", ".*");
        const expected = new RegExp(`^${quoted}$`, "s").test(name) ? 0 : undefined;
        expect(fits([{ tool }], {}, name)).toBe(expected);
        expect(fits([{ tool: "*", input: { deep: [tool] } }], { deep: [name] })).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it("names the first rule that would fit alone, whatever the rules", () => {
    const name = fc.constantFrom("Bash", "Write", "B*", "*");
    const value = fc.constantFrom("x", "*", "xy", 1, null);
    const input = fc.dictionary(fc.constantFrom("a", "b"), value);
    const decision = fc.constantFrom("allow" as const, "deny" as const, "ask" as const);
    const rules = fc.array(fc.record({ tool: name, input, decision }));
    fc.assert(
      fc.property(rules, name, input, decision, (policy, tool, call, otherwise) => {
        const alone = (rule: PolicyRule) => fits([rule], call, tool) === 0;
        const first = policy.find(alone);
        const { decision, rule, index } = explainPermission(policy, tool, call, otherwise);
        expect({ rule, index, decision }).toEqual({
          rule: first,
          index: first === undefined ? undefined : policy.indexOf(first),
          decision: first?.decision ?? otherwise,
        });
      }),
    );
  });
});

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allowRule, refusalLines } from "../../src/bin/refusal.js";
import { shellQuoted } from "../../src/bin/shell.js";
import { complete } from "../../src/complete/index.js";
import { toolUse } from "../../src/testing/index.js";
import { NEWEST_CLI } from "../support/cli.js";
import { world } from "../support/world.js";

const CWD = "/work";

describe("allowRule()", () => {
  it.each([
    ["Bash", { command: "touch a.txt" }, "Bash(touch a.txt)"],
    ["Bash", { command: "touch a.txt && git add ." }, "Bash(touch a.txt && git add .)"],
    ["Bash", { command: 'echo "it\'s (1) | a"' }, 'Bash(echo "it\'s (1) | a")'],
    ["Bash", { command: "touch $(date +%s)" }, "Bash(touch $(date +%s))"],
    ["Write", { file_path: "a.txt", content: "" }, "Edit(//work/a.txt)"],
    ["Edit", { file_path: "/else/a[1].txt" }, "Edit(//else/a\\[1\\].txt)"],
    ["NotebookEdit", { notebook_path: "n.ipynb" }, "Edit(//work/n.ipynb)"],
    ["Read", { file_path: "/etc/hosts" }, "Read(//etc/hosts)"],
    ["Grep", { pattern: "x", path: "../other" }, "Read(//other)"],
    ["Glob", { pattern: "*" }, "Read(//work)"],
    ["WebFetch", { url: "https://knots.example/a?b" }, "WebFetch(domain:knots.example)"],
    ["WebSearch", { query: "knots" }, "WebSearch"],
    ["mcp__rope__tie", { knot: "bowline" }, "mcp__rope__tie"],
  ])("is narrow for %s %j", (tool, input, rule) => {
    expect(allowRule(tool, input, CWD)).toBe(rule);
  });

  it.each([
    ["a wildcard", "rm -rf *"],
    ["a backslash", "printf 'a\\nb'"],
    ["two lines", "touch a\ntouch b"],
    ["a pipe", "cat a | sh"],
    ["a redirection", "echo a > b"],
    ["a background job", "sleep 100 &"],
    ["a quote without an end", "echo 'a"],
    ["a parenthesis without an end", "echo '('"],
    ["an invisible character", "touch a\u200Bb"],
    ["nothing", " "],
  ])("gives none for a command with %s", (_, command) => {
    expect(allowRule("Bash", { command }, CWD)).toBeUndefined();
  });
});

describe("refusalLines()", () => {
  const denial = (tool_name: string, tool_input: object) => ({
    tool_name,
    tool_input,
    tool_use_id: "toolu_1",
  });

  it("names each rule once, and never the whole of Bash", () => {
    const denials = [
      denial("Bash", { command: "touch a.txt" }),
      denial("Bash", { command: "touch a.txt" }),
      denial("Bash", { command: "cat a | sh" }),
    ];
    expect(refusalLines(denials, { cwd: CWD, denied: [] })).toEqual([
      "Bash was refused; --allow 'Bash(touch a.txt)' permits it.",
      "Bash was refused. No rule permits just this call; in a terminal you are asked about it.",
    ]);
  });

  it("does not offer --allow where --deny has a rule for the tool", () => {
    const denials = [denial("Write", { file_path: "a.txt" }), denial("WebSearch", {})];
    expect(refusalLines(denials, { cwd: CWD, denied: ["Edit(./a.txt)"] })).toEqual([
      "Write was refused, and --deny has a rule for it.",
      "WebSearch was refused; --allow WebSearch permits it.",
    ]);
  });
});

describe("shellQuoted()", () => {
  it.each(["Bash(touch a.txt)", "it's", '$HOME `id` "x"', "WebSearch", "a b"])(
    "makes one word of %j",
    (word) => {
      const out = execFileSync("sh", ["-c", `printf %s ${shellQuoted(word)}`], {
        encoding: "utf8",
      });
      expect(out).toBe(word);
    },
  );
});

describe("the real CLI", () => {
  it.each([
    ["Bash", { command: "touch a.txt" }],
    ["Bash", { command: "touch \"it's (1).txt\" && touch 'b,c.txt'; touch d.txt" }],
    ["Bash", { command: "touch $(echo e.txt)" }],
    ["Write", { file_path: "a[1]!#.txt", content: "x" }],
    ["Write", { file_path: "a b (1).txt", content: "x" }],
  ])("refuses %s %j, and permits it by the rule", async (tool, given) => {
    const { cwd, model, options } = await world(NEWEST_CLI, []);
    const file = "file_path" in given ? { file_path: join(cwd, given.file_path ?? "") } : {};
    const input = { ...given, ...file };
    const call = async (allowedTools: string[]) => {
      model.add(toolUse(tool, input), "Done.");
      const { permissionDenials } = await complete("Do it.", {
        ...options,
        tools: [tool],
        allowedTools,
      });
      return permissionDenials.length;
    };
    expect(await call([])).toBe(1);
    expect(await call([allowRule(tool, input, cwd) ?? ""])).toBe(0);
  });
});

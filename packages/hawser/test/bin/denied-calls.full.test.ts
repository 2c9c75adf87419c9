import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { quoteForShell } from "../../src/bin/command/quote-for-shell.js";
import { allowRule, deniedCallLines } from "../../src/bin/turn/denied-calls.js";
import { complete } from "../../src/complete/index.js";
import { toolUse } from "../../src/testing/index.js";
import { NEWEST_CLI } from "../support/cli.js";
import { world } from "../support/world.js";
import { expectNarrowRules, PAIRS } from "./denied-calls.helper.js";

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
    ["Monitor", { command: "touch a.txt", description: "x" }, "Bash(touch a.txt)"],
    ["Grep", { pattern: "x", path: "../other" }, "Read(//other)"],
    ["Grep", { pattern: "x" }, "Read(//work)"],
    ["Glob", { pattern: "*" }, "Read(//work)"],
    ["Glob", { pattern: "/etc/host*" }, "Read(//etc)"],
    ["Glob", { pattern: "/etc/hosts" }, "Read(//etc)"],
    ["Glob", { pattern: "sub/*", path: "/else" }, "Read(//else)"],
    ["WebFetch", { url: "https://knots.example/a?b" }, "WebFetch(domain:knots.example)"],
    ["WebFetch", { url: "http://[2001:db8::1]:80/" }, "WebFetch(domain:[2001:db8::1])"],
    ["WebSearch", { query: "knots" }, "WebSearch"],
    ["mcp__rope__tie", { knot: "bowline" }, "mcp__rope__tie"],
  ])("returns the narrowest rule for %s %j", (tool, input, rule) => {
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
  ])("returns undefined for a command with %s", (_, command) => {
    expect(allowRule("Bash", { command }, CWD)).toBeUndefined();
  });

  it.each([
    ["WebFetch", { url: "https://*/" }],
    ["WebFetch", { url: "https://*.example/" }],
    ["WebFetch", { url: "ftp://knots.example/" }],
    ["WebFetch", { url: "data:text/plain,x" }],
    ["Read", { file_path: "~/x" }],
    ["Grep", { pattern: "x", path: "~" }],
    ["Glob", { pattern: "/*" }],
    ["Glob", { pattern: "/etc/*/../x" }],
    ["Glob", { pattern: "/etc/*", path: "/else" }],
    ["Write", { file_path: "blank-at-the-end " }],
    ["Write", {}],
    ["Monitor", { ws: { url: "wss://knots.example/" } }],
    ["PowerShell", { command: "ls" }],
    ["Skill", { skill: "tie" }],
    ["Agent", { prompt: "x" }],
    ["Task", { prompt: "x" }],
    ["REPL", { code: "1" }],
    ["Workflow", { script: "x" }],
    ["LSP", { filePath: "a.ts" }],
    ["SendUserFile", { files: ["a.txt"] }],
    ["ToolOfTomorrow", {}],
    ["mcp__rope__*", {}],
  ])("returns undefined for %s %j", (tool, input) => {
    expect(allowRule(tool, input, CWD)).toBeUndefined();
  });
});

describe("deniedCallLines()", () => {
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
    expect(deniedCallLines(denials, { cwd: CWD, denied: [] })).toEqual([
      "Bash was denied. --allow 'Bash(touch a.txt)' allows it.",
      "Bash was denied. No --allow rule fits only this call; on a terminal, hawser asks you.",
    ]);
  });

  it("says what a rule permits beyond the call", () => {
    const denials = [
      denial("WebSearch", { query: "knots" }),
      denial("mcp__rope__tie", { knot: "bowline" }),
      denial("Glob", { pattern: "/etc/host*" }),
    ];
    expect(deniedCallLines(denials, { cwd: CWD, denied: [] })).toEqual([
      "WebSearch was denied. --allow WebSearch allows every call of this tool.",
      "mcp__rope__tie was denied. --allow mcp__rope__tie allows every call of this tool.",
      "Glob was denied. --allow 'Read(//etc)' allows it and all reading there.",
    ]);
  });

  it.each([
    ["Bash", { command: "touch a" }, "Bash"],
    ["Bash", { command: "touch a" }, "Bash(touch a)"],
    ["Bash", { command: "touch a" }, "Bash(touch *)"],
    ["Bash", { command: "touch a" }, "Bash(touch:*)"],
    ["Bash", { command: "rm" }, "Bash(rm *)"],
    ["Bash", { command: "touch a && rm a" }, "Bash(rm *)"],
    ["Bash", { command: "cat a | sh" }, "Bash(sh)"],
    ["Monitor", { command: "touch a" }, "Bash(touch *)"],
    ["Write", { file_path: "a.txt" }, "Edit(//work/a.txt)"],
    ["WebFetch", { url: "https://knots.example/" }, "WebFetch(domain:knots.example)"],
    ["mcp__rope__tie", {}, "mcp__rope__tie"],
  ])("does not offer --allow for %s %j, which --deny %s refuses", (tool, input, rule) => {
    expect(deniedCallLines([denial(tool, input)], { cwd: CWD, denied: [rule] })).toEqual([
      `${tool} was denied: a --deny rule matches the call.`,
    ]);
  });

  it.each([
    ["Bash(rm *)", "Bash", { command: "touch a" }, "Bash(touch a)"],
    ["Bash(rm:*)", "Bash", { command: "rmdir a" }, "Bash(rmdir a)"],
    ["Bash(rm *)", "Monitor", { command: "touch a" }, "Bash(touch a)"],
    ["Edit(./b.txt)", "Write", { file_path: "a.txt" }, "Edit(//work/a.txt)"],
  ])("offers --allow next to --deny %s for %s %j", (denied, tool, input, rule) => {
    expect(deniedCallLines([denial(tool, input)], { cwd: CWD, denied: [denied] })).toEqual([
      `${tool} was denied. --allow '${rule}' allows it. A --deny rule that matches wins.`,
    ]);
  });

  it("ignores --deny rules of other tools", () => {
    const denied = ["Edit", "Read(./.env)", "WebSearch"];
    expect(
      deniedCallLines([denial("Write", { file_path: "a.txt" })], { cwd: CWD, denied }),
    ).toEqual(["Write was denied. --allow 'Edit(//work/a.txt)' allows it."]);
  });
});

describe("quoteForShell()", () => {
  it.each(["Bash(touch a.txt)", "it's", '$HOME `id` "x"', "WebSearch", "a b"])(
    "quotes %j as one word of a shell",
    (word) => {
      const out = execFileSync("sh", ["-c", `printf %s ${quoteForShell(word)}`], {
        encoding: "utf8",
      });
      expect(out).toBe(word);
    },
  );
});

describe("the rules of allowRule() on the real CLI", () => {
  // In one conversation. The background commands of Monitor start turns of their own, so that it runs
  // alone, in narrow-rules.full.test.ts.
  it("permit each refused call and no similar one", async () => {
    await expectNarrowRules(PAIRS.filter(({ tool }) => tool !== "Monitor"));
  });

  it("leave a call refused that only --deny refuses", async () => {
    const { cwd, model, options } = await world(NEWEST_CLI, []);
    const inputs = [{ command: "touch a.txt" }, { command: "touch a.txt && rm a.txt" }];
    const denied = ["Bash(rm *)"];
    model.add(...inputs.map((input) => toolUse("Bash", input)), "Done.");
    const { permissionDenials } = await complete("Do it.", {
      ...options,
      tools: ["Bash"],
      disallowedTools: denied,
      allowedTools: inputs.map((input) => allowRule("Bash", input, cwd) ?? ""),
    });
    expect(deniedCallLines(permissionDenials, { cwd, denied })).toEqual([
      "Bash was denied: a --deny rule matches the call.",
    ]);
  });
});

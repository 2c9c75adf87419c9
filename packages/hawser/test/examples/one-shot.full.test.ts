import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { apiError, type ReplyInput, toolUse } from "../../src/testing/index.js";
import { placeOf } from "./program.helper.js";

describe("examples/code-reviewer.js", () => {
  const SEVERE = { file: "rope.js", line: 1, severity: "severe", problem: "b is not defined" };

  it("reads only the project, and exits with 1 for a severe finding", async () => {
    const place = await placeOf("code-reviewer.js", [
      toolUse("Read", { file_path: "rope.js" }),
      toolUse("Read", { file_path: "/etc/hostname" }),
      toolUse("StructuredOutput", { findings: [SEVERE] }),
      "Done.",
    ]);
    const { cwd, model } = place;
    const git = (...args: string[]) => execFileSync("git", args, { cwd, env: place.env });
    git("init", "-q");
    writeFileSync(join(cwd, "rope.js"), "const a = 1;\n");
    git("add", ".");
    git("-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-qm", "first");
    expect(await place.start().ended).toEqual({
      code: 0,
      stdout: "Nothing to review.\n",
      stderr: "",
    });

    writeFileSync(join(cwd, "rope.js"), "const a = b;\n");
    expect(await place.start().ended).toEqual({
      code: 1,
      stdout: "rope.js:1: severe: b is not defined\n",
      stderr: expect.stringMatching(/^1 findings, \$0\.\d+\n$/),
    });
    const [first, inside, outside] = model.calls;
    expect(first?.prompt).toContain("+const a = b;");
    expect(first?.system).toContain("You review changes to code.");
    expect(first?.tools.toSorted()).toEqual(["Grep", "Read", "StructuredOutput"]);
    expect(inside?.toolResults).toMatchObject([{ isError: false }]);
    expect(inside?.toolResults[0]?.text).toContain("const a = b;");
    expect(outside?.toolResults).toMatchObject([{ isError: true }]);
  });
});

describe("examples/typed-extractor.js", () => {
  const HAWSER = { vendor: "Rope & Co", date: "2026-03-01", total: 120.5, currency: "EUR" };
  const ANCHOR = { vendor: "Anchors", date: "2026-03-02", total: 80, currency: "USD" };

  it("prints valid values in the order of the files, and reports files without one", async () => {
    const place = await placeOf("typed-extractor.js", ({ prompt, body }): ReplyInput => {
      const asked = JSON.stringify(body);
      if (asked.includes("Anchors")) return toolUse("StructuredOutput", ANCHOR);
      if (asked.includes("nothing here")) return "This is no invoice.";
      expect(prompt).toContain("Rope & Co");
      return toolUse("StructuredOutput", HAWSER);
    });
    for (const [name, text] of [
      ["a.txt", "Rope & Co, 1 March 2026, 120.50 euros"],
      ["b.txt", "nothing here"],
      ["c.txt", "Anchors, 2 March 2026, 80 dollars"],
    ] as const) {
      writeFileSync(join(place.cwd, name), text);
    }
    const { code, stdout, stderr } = await place.start(["a.txt", "b.txt", "gone.txt", "c.txt"])
      .ended;
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { file: "a.txt", ...HAWSER },
      { file: "c.txt", ...ANCHOR },
    ]);
    expect(stderr).toMatch(/^b\.txt: structured_output: .+\ngone\.txt: Error: ENOENT.+\n$/);
    expect(code).toBe(1);
  });
});

describe("examples/magi-reviewers.js", () => {
  it("counts the votes of reviewers that answered, and exits with the verdict", async () => {
    const vote = (verdict: string) =>
      toolUse("StructuredOutput", {
        ...{ verdict, confidence: 0.8, summary: "So it is.", reasons: "Read.", conditions: [] },
        ...{ findings: [], recommendation: "" },
      });
    const place = await placeOf("magi-reviewers.js", ({ system }) => {
      if (system.includes("for correctness alone")) return vote("approve");
      if (system.includes("can be abused")) return apiError(401, { message: "invalid x-api-key" });
      return vote("reject");
    });
    const council = place.start();
    council.child.stdin.end("const a = b = c;\n");
    const { code, stdout, stderr } = await council.ended;
    expect(stdout).toContain("HOLD -- TIE");
    expect(stdout).toMatch(/correctness: +APPROVE \(80%\)/);
    expect(stdout).toMatch(/simplicity: +REJECT \(80%\)/);
    expect(stdout).toContain("- **security**: auth. ");
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  });
});

describe("examples/own-tools.js", () => {
  it("lets the model call its tools, applies its own rules, and writes an audit log", async () => {
    const place = await placeOf("own-tools.js", [
      toolUse("mcp__orders__find_order", { id: "1002" }),
      [
        toolUse("mcp__orders__cancel_order", { id: "1002" }),
        toolUse("mcp__orders__cancel_order", { id: "1001" }),
      ],
      "Order 1002 is cancelled; 1001 has left already.",
    ]);
    expect(await place.start(["Cancel 1002 and 1001."]).ended).toEqual({
      code: 0,
      stdout:
        "Order 1002 is cancelled; 1001 has left already.\n" +
        "1001  shipped    hawser, 60 m\n1002  cancelled  shackle, 12 pieces\n",
      stderr: "",
    });
    const [first, found, cancelled] = place.model.calls;
    expect(first?.prompt).toContain("Cancel 1002 and 1001.");
    expect(first?.tools.toSorted()).toEqual([
      "mcp__orders__cancel_order",
      "mcp__orders__find_order",
    ]);
    expect(found?.toolResults[0]?.text).toContain("shackle");
    expect(cancelled?.toolResults.map(({ isError }) => isError)).toEqual([false, true]);
    const audit = readFileSync(join(place.cwd, "audit.jsonl"), "utf8").trim().split("\n");
    const calls = audit.map((line) => JSON.parse(line));
    expect(calls.map(({ event, input }) => `${event} ${input.id}`).toSorted()).toEqual([
      "PostToolUse 1002",
      "PostToolUse 1002",
      "PostToolUseFailure 1001",
      "PreToolUse 1001",
      "PreToolUse 1002",
      "PreToolUse 1002",
    ]);
  });
});

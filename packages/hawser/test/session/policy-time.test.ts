import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { PolicyRule } from "../../src/options/index.js";
import { explainPermission } from "../../src/session/index.js";

/** Twenty rules on paths, none of which fits, and a last one that allows. */
const RULES: readonly PolicyRule[] = [
  ...Array.from({ length: 20 }, (_, i): PolicyRule => {
    return { tool: "Read", input: { file_path: `/etc/secrets/${i}/*` }, decision: "deny" };
  }),
  { tool: "*", decision: "allow" },
];

/** Decides the call, and fails if that takes long. With quadratic time it takes much longer. */
function decide(tool: string, input: Record<string, unknown>, rules = RULES) {
  const start = performance.now();
  const explanation = explainPermission(rules, tool, input);
  expect(performance.now() - start).toBeLessThan(8000);
  return explanation;
}

describe("explainPermission with an input that a model made long", () => {
  it("takes linear time for punctuation behind a path", () => {
    const args = `@${".".repeat(200_000)}x`;
    expect(decide("Skill", { skill: "a", args }).decision).toBe("deny");
    expect(decide("Skill", { skill: "a", args: `@/a${"#".repeat(200_000)}` }).decision).toBe(
      "deny",
    );
    const quotes = '@"'.repeat(100_001);
    expect(decide("Skill", { skill: "a", args: quotes }).decision).toBe("allow");
  });

  it("does not look for a path that is longer than a path can be", () => {
    const file_path = "/missing".repeat(100_000);
    expect(decide("Read", { file_path }).decision).toBe("deny");
    const allowing = RULES.slice(0, 20).map((rule) => ({ ...rule, decision: "allow" as const }));
    expect(decide("Read", { file_path }, allowing).decision).toBe("deny");
    expect(decide("Read", { file_path: "/a/..".repeat(100_000) }).decision).toBe("allow");
  });

  it("looks at few parts of a path that does not exist", () => {
    const args = Array.from({ length: 100 }, (_, i) => `@/${i}${"/a".repeat(2000)}`).join(" ");
    expect(decide("Skill", { skill: "a", args }).decision).toBe("allow");
  });

  it("denies the arguments of a skill that name more than 100 files, and says why", () => {
    const args = Array.from({ length: 5000 }, (_, i) => `@/missing/${i}`).join(" ");
    expect(decide("Skill", { skill: "a", args })).toEqual({
      decision: "deny",
      reason: "Skill leads to 5000 further calls, and the policy decides at most 100 at once.",
    });
    const same = "@/missing/file ".repeat(5000);
    expect(decide("Skill", { skill: "a", args: same }).decision).toBe("allow");
  });

  it("denies a list of more than 1000 files, and says why", () => {
    const files = Array.from({ length: 20_000 }, (_, i) => `/missing/${i}`);
    expect(decide("SendUserFile", { files })).toEqual({
      decision: "deny",
      reason: "SendUserFile does 20000 things, and the policy decides at most 1000 at once.",
    });
    expect(decide("SendUserFile", { files: files.slice(0, 1000) }).decision).toBe("allow");
  });

  it("takes linear time for the name of an MCP server", () => {
    const rules: PolicyRule[] = [
      { tool: "mcp__*x*__*y*", decision: "deny" },
      { tool: "*", decision: "allow" },
    ];
    const server = "_".repeat(1_000_000);
    expect(decide("ReadMcpResourceTool", { server }, rules).decision).toBe("deny");
  });
});

describe("explainPermission with a path through links", () => {
  it("takes `..` in a link that lies behind another link for the parent of its real folder", () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "links-")));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    for (const folder of ["work/sub", "outside/deep"])
      mkdirSync(join(root, folder), { recursive: true });
    symlinkSync(join(root, "outside/deep"), join(root, "work/sub/link"));
    symlinkSync("../new", join(root, "outside/deep/dangling"));
    const allow = (file_path: string) =>
      explainPermission(
        [{ tool: "Write", input: { file_path: `${root}/work/*` }, decision: "allow" }],
        "Write",
        { file_path },
      ).decision;
    // A write makes outside/new. If the link were not followed first, it would seem to be work/sub/new.
    expect(allow(`${root}/work/sub/link/dangling`)).toBe("deny");
    expect(allow(`${root}/work/sub/new`)).toBe("allow");
  });
});

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Options, PolicyRule } from "../../src/options/index.js";
import { explainPermission } from "../../src/session/index.js";
import { always, toolUse } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { type SharedSession, sharedSession } from "./shared-session.helper.js";

const NO_FILES: readonly PolicyRule[] = [
  { tool: "Read", decision: "deny" },
  { tool: "*", decision: "allow" },
];

const ALL: readonly PolicyRule[] = [{ tool: "*", decision: "allow" }];

/** A trusted project with a skill that looks at a file, and a skill that runs a command. */
function planted(rules: readonly PolicyRule[]): (cwd: string) => Options {
  return (cwd) => {
    const skill = (name: string, text: string) => {
      const folder = join(cwd, ".claude/skills", name);
      mkdirSync(folder, { recursive: true });
      const head = `---\nname: ${name}\ndescription: d\nallowed-tools: Bash(touch *)\n---\n`;
      writeFileSync(join(folder, "SKILL.md"), `${head}${text}\n`);
    };
    skill("looks", "Look at $ARGUMENTS");
    skill("runs", "State: !`touch made`");
    writeFileSync(join(cwd, "secret.txt"), "the secret");
    return { trustProject: true, rules };
  };
}

/** Has the model call a skill, and returns everything that the model received. */
async function callSkill(shared: SharedSession, skill: string, args = ""): Promise<string> {
  shared.script(toolUse("Skill", { skill, args }), always("end"));
  await shared.session.send("go").result;
  return JSON.stringify(shared.calls.map(({ body }) => body));
}

describe.each(clisInTurn())("rules that deny Read and Bash, on $name", ({ path }) => {
  const shared = sharedSession(
    path,
    planted([
      { tool: "Read", decision: "deny" },
      { tool: "Bash", decision: "deny" },
      { tool: "*", decision: "allow" },
    ]),
  );

  it("deny a skill whose arguments name a file", async () => {
    expect(await callSkill(shared, "looks", "@secret.txt")).not.toContain("the secret");
    expect(shared.calls[1]?.toolResults[0]).toMatchObject({ isError: true });
  });

  it("keep the commands in the file of a skill from running", async () => {
    await callSkill(shared, "runs");
    expect(shared.calls[1]?.toolResults[0]).toMatchObject({ isError: false });
    expect(shared.made("made")).toBe(false);
  });
});

describe.each(clisInTurn())("rules that allow everything, on $name", ({ path }) => {
  const shared = sharedSession(path, planted(ALL));

  it("let a skill read a file that its arguments name", async () => {
    expect(await callSkill(shared, "looks", "@secret.txt")).toContain("the secret");
  });

  it("let the commands in the file of a skill run", async () => {
    await callSkill(shared, "runs");
    expect(shared.made("made")).toBe(true);
  });
});

describe.each(clisInTurn())("rules that ask about Bash, on $name", ({ path }) => {
  const shared = sharedSession(
    path,
    planted([
      { tool: "Skill", decision: "allow" },
      { tool: "*", decision: "ask" },
    ]),
  );

  it("keep the commands in the file of a skill from running", async () => {
    await callSkill(shared, "runs");
    expect(shared.made("made")).toBe(false);
  });
});

describe("explainPermission", () => {
  const decide = (tool: string, input: Record<string, unknown>, rules = NO_FILES) =>
    explainPermission(rules, tool, input).decision;

  it.each([
    ["Skill", { skill: "a", args: "see @/etc/passwd" }],
    ["CronCreate", { cron: "* * * * *", prompt: "see @/etc/passwd" }],
    ["CronCreate", { cron: "* * * * *", prompt: "/a @/etc/passwd" }],
    ["ScheduleWakeup", { prompt: '(@"/etc/my passwords")' }],
    ["SlashCommand", { command: "/a @/etc/passwd" }],
  ])("puts the files that a text of %s names to the policy: %j", (tool, input) => {
    expect(decide(tool, input)).toBe("deny");
  });

  it.each([
    ["Skill", { skill: "a", args: "write to me@example.com" }],
    ["CronCreate", { prompt: "say hello" }],
    ["Agent", { prompt: "see @/etc/passwd" }],
  ])("finds no file in other text of %s: %j", (tool, input) => {
    expect(decide(tool, input)).toBe("allow");
  });

  it("puts a command at the start of a scheduled prompt to the policy as a skill", () => {
    const rules: PolicyRule[] = [
      { tool: "Skill", input: { skill: "deploy" }, decision: "deny" },
      { tool: "*", decision: "allow" },
    ];
    expect(decide("CronCreate", { prompt: "/deploy now" }, rules)).toBe("deny");
    expect(decide("CronCreate", { prompt: "/test now" }, rules)).toBe("allow");
  });

  it("puts words of a skill's arguments that look like paths to the policy", () => {
    // The file of the skill can say `@$ARGUMENTS`.
    for (const args of ["/srv/secret.txt", "look ~/secret", "@ ./a", "notes.txt", "'/srv/a b'"]) {
      expect([args, decide("Skill", { skill: "a", args })]).toEqual([args, "deny"]);
    }
    expect(decide("Skill", { skill: "a", args: "Fix the bug. Then say so, 3 times!" })).toBe(
      "allow",
    );
  });

  it.each(["deploy", "/deploy", " deploy", "deploy ", " /deploy", "Deploy"])(
    "takes %j for the skill that a rule denies, as the CLI does",
    (skill) => {
      const rules: PolicyRule[] = [
        { tool: "Skill", input: { skill: "deploy" }, decision: "deny" },
        { tool: "*", decision: "allow" },
      ];
      expect(decide("Skill", { skill }, rules)).toBe("deny");
      expect(decide("Skill", { skill: "deployment" }, rules)).toBe("allow");
    },
  );

  it.each([undefined, "general-purpose", "General-Purpose", "general_purpose", " generalPurpose"])(
    "takes the type %j for the agent that a rule denies, as the CLI does",
    (subagent_type) => {
      const rules: PolicyRule[] = [
        { tool: "Agent", input: { subagent_type: "general-purpose" }, decision: "deny" },
        { tool: "*", decision: "allow" },
      ];
      const input = subagent_type === undefined ? {} : { subagent_type };
      expect(decide("Agent", { prompt: "go", ...input }, rules)).toBe("deny");
      expect(decide("Agent", { prompt: "go", subagent_type: "Explore" }, rules)).toBe("allow");
    },
  );

  it("judges a path with blanks around it also as the path that the CLI reads", () => {
    const rules: PolicyRule[] = [
      { tool: "Grep", input: { path: "/work/*" }, decision: "allow" },
      { tool: "*", decision: "deny" },
    ];
    const context = { cwd: "/work" };
    const grep = (path: string) =>
      explainPermission(rules, "Grep", { pattern: "x", path }, "deny", context).decision;
    expect(grep("/work/a")).toBe("allow");
    for (const path of [" /etc/a", "/etc/a ", "\n/etc/a"]) expect(grep(path)).toBe("deny");
  });

  it.each(["my server", "a.b"])("fits a rule by the configured name of a server: %s", (server) => {
    const rules: PolicyRule[] = [
      { tool: `mcp__${server}__*`, decision: "deny" },
      { tool: "*", decision: "allow" },
    ];
    const tool = `mcp__${server.replace(/\W/, "_")}__push`;
    const context = { mcpServers: [server] };
    expect(explainPermission(rules, tool, {}, "allow", context).decision).toBe("deny");
  });

  it("compares a path without the line range or punctuation behind it", () => {
    const rules: PolicyRule[] = [
      { tool: "Read", input: { file_path: "/etc/passwd" }, decision: "deny" },
      { tool: "*", decision: "allow" },
    ];
    for (const text of ["@/etc/passwd", "@/etc/passwd#L1-3", "@/etc/passwd.", "(@/etc/passwd)"]) {
      expect(decide("Skill", { skill: "a", args: text }, rules)).toBe("deny");
    }
  });
});

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Options, PolicyRule } from "../../src/options/index.js";
import { explainPermission } from "../../src/session/index.js";
import { always, toolUse } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { type OpenWorld, open } from "../support/open-session.js";

const NO_FILES: readonly PolicyRule[] = [
  { tool: "Read", decision: "deny" },
  { tool: "*", decision: "allow" },
];

const NO_COMMANDS: readonly PolicyRule[] = [
  { tool: "Bash", decision: "deny" },
  { tool: "*", decision: "allow" },
];

/** A session in which the model calls a skill of the project, whose file has this text. */
async function callSkill(
  path: string,
  text: string,
  args: string,
  more: Options,
): Promise<OpenWorld> {
  const replies = [toolUse("Skill", { skill: "planted", args }), always("end")];
  const opened = await open(path, replies, (cwd) => {
    const folder = join(cwd, ".claude/skills/planted");
    mkdirSync(folder, { recursive: true });
    const head = "---\nname: planted\ndescription: d\nallowed-tools: Bash(touch *)\n---\n";
    writeFileSync(join(folder, "SKILL.md"), `${head}${text}\n`);
    writeFileSync(join(cwd, "secret.txt"), "the secret");
    return { trustProject: true, ...more };
  });
  await opened.session.send("go").result;
  return opened;
}

function sent({ model }: OpenWorld): string {
  return JSON.stringify(model.requests.map(({ body }) => body));
}

describe.each(clisInTurn())("rules and a skill, on $name", ({ path }) => {
  it("deny the file that the arguments of a skill name, when Read is denied", async () => {
    const opened = await callSkill(path, "Look at $ARGUMENTS", "@secret.txt", { rules: NO_FILES });
    expect(sent(opened)).not.toContain("the secret");
    expect(opened.model.calls[1]?.toolResults[0]).toMatchObject({ isError: true });
  });

  it("let the skill read that file when Read is allowed", async () => {
    const rules: PolicyRule[] = [{ tool: "*", decision: "allow" }];
    const opened = await callSkill(path, "Look at $ARGUMENTS", "@secret.txt", { rules });
    expect(sent(opened)).toContain("the secret");
  });

  it("keep the commands in the file of a skill from running, when Bash is denied", async () => {
    const opened = await callSkill(path, "State: !`touch made`", "", { rules: NO_COMMANDS });
    expect(opened.model.calls[1]?.toolResults[0]).toMatchObject({ isError: false });
    expect(opened.made("made")).toBe(false);
  });

  it("keep them from running when Bash is only asked about", async () => {
    const rules: PolicyRule[] = [
      { tool: "Skill", decision: "allow" },
      { tool: "*", decision: "ask" },
    ];
    const opened = await callSkill(path, "State: !`touch made`", "", { rules });
    expect(opened.made("made")).toBe(false);
  });

  it("let the commands run when the policy allows all of Bash", async () => {
    const rules: PolicyRule[] = [{ tool: "*", decision: "allow" }];
    const opened = await callSkill(path, "State: !`touch made`", "", { rules });
    expect(opened.made("made")).toBe(true);
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

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Options, PolicyRule } from "../../src/options/index.js";
import { explainPermission } from "../../src/session/index.js";
import { always, toolUse } from "../../src/testing/index.js";
import { CLIS } from "../support/cli.js";
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

describe.each(CLIS)("rules and a skill, on $name", ({ path }) => {
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

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { PolicyRule } from "../../src/options/index.js";
import { explainPermission } from "../../src/session/index.js";
import { toolUse } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { open } from "../support/open-session.js";
import { open as openFake } from "./fake.helper.js";

/** A folder `work` with a folder `sub`, in which links lead to other places. */
function folders(): { work: string; outside: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "paths-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const work = join(root, "work");
  const outside = join(root, "outside");
  for (const folder of [work, outside, join(work, "sub")]) mkdirSync(folder);
  writeFileSync(join(outside, "secret"), "s");
  symlinkSync(outside, join(work, "sub", "link"));
  symlinkSync(join(outside, "new"), join(work, "sub", "dangling"));
  symlinkSync("loop", join(work, "sub", "loop"));
  return { work, outside };
}

describe("explainPermission with a rule on a path", () => {
  const decide = (
    decision: PolicyRule["decision"],
    pattern: string,
    file_path: string,
    cwd: string,
    more = {},
  ) =>
    explainPermission(
      [{ tool: "Write", input: { file_path: pattern }, decision }],
      "Write",
      {
        file_path,
      },
      decision === "allow" ? "deny" : "allow",
      { cwd, ...more },
    ).decision;

  it("allows a file in the folder, but no file outside that a link leads to", () => {
    const { work } = folders();
    const allow = (path: string) => decide("allow", `${work}/sub/*`, path, work);
    expect(allow(`${work}/sub/a`)).toBe("allow");
    expect(allow(`${work}/sub/new/folder/a`)).toBe("allow");
    expect(allow("sub/a")).toBe("allow");
    expect(allow(`${work}/sub/link/secret`)).toBe("deny");
    expect(allow(`${work}/sub/link/new`)).toBe("deny");
    expect(allow(`${work}/sub/dangling`)).toBe("deny");
    expect(allow(`${work}/sub/loop`)).toBe("deny");
    expect(allow(`${work}/sub/../a`)).toBe("deny");
    expect(allow("/proc/self/cwd/sub/a")).toBe("deny");
  });

  it("denies by the path as written and by the file that the path leads to", () => {
    const { work, outside } = folders();
    const deny = (pattern: string, path: string, more = {}) =>
      decide("deny", pattern, path, work, more);
    expect(deny(`${outside}/*`, `${work}/sub/link/secret`)).toBe("deny");
    expect(deny(`${outside}/*`, "sub/link/secret")).toBe("deny");
    expect(deny(`${outside}/*`, `${work}/sub/dangling`)).toBe("deny");
    expect(deny(`${work}/sub/link/*`, `${work}/sub/link/secret`)).toBe("deny");
    expect(deny(`${outside}/*`, "../outside/secret")).toBe("deny");
    expect(deny(`${outside}/*`, "~/secret", { home: outside })).toBe("deny");
    expect(deny("~/*", `${outside}/secret`, { home: outside })).toBe("deny");
    expect(deny(`${outside}/*`, "secret", { callCwd: outside })).toBe("deny");
    expect(deny(`${outside}/*`, `/proc/self/root${outside}/secret`)).toBe("deny");
    expect(deny(`${outside}/*`, `${work}/sub/a`)).toBe("allow");
  });

  it("resolves a relative path of a rule in the session's folder, also through a link to that folder", () => {
    const { work } = folders();
    const linked = join(work, "..", "linked");
    symlinkSync(work, linked);
    expect(decide("allow", "sub/*", `${work}/sub/a`, linked)).toBe("allow");
    expect(decide("allow", `${linked}/sub/*`, `${work}/sub/a`, linked)).toBe("allow");
    expect(decide("allow", `${linked}/sub/link/*`, `${linked}/sub/link/a`, linked)).toBe("deny");
  });

  it("treats the pattern of Glob as a part of its path", () => {
    const { work } = folders();
    const allow = (input: object) =>
      explainPermission(
        [{ tool: "Glob", input: { path: `${work}*` }, decision: "allow" }],
        "Glob",
        { ...input },
        "deny",
        { cwd: work },
      ).decision;
    expect(allow({ pattern: "*" })).toBe("allow");
    expect(allow({ pattern: "sub/*", path: work })).toBe("allow");
    expect(allow({ pattern: "/etc/*", path: work })).toBe("deny");
    expect(allow({ pattern: "../outside/*", path: work })).toBe("deny");
    expect(allow({ pattern: "sub/link/*", path: work })).toBe("deny");
    for (const pattern of [
      "*/../../../etc/*",
      "sub/*/../../..",
      "..",
      "*/.{.,x}/*",
      "*/[.][.]/*",
    ]) {
      expect(allow({ pattern, path: work })).toBe("deny");
    }
    expect(allow({ pattern: "**/*.{test.ts,spec.ts}", path: work })).toBe("allow");
  });
});

describe.each(clisInTurn())("rules in a session on $name", ({ path }) => {
  let calls: ReturnType<typeof toolUse>[] = [];

  it("let Write into an allowed folder, but not through a link out of it", async () => {
    const { session, made, model } = await open(path, [() => calls, "done"], (cwd) => {
      mkdirSync(join(cwd, "sub"));
      symlinkSync("..", join(cwd, "sub", "link"));
      calls = ["sub/good", "sub/link/evil", "sub/../evil"].map((file) =>
        toolUse("Write", { file_path: `${cwd}/${file}`, content: "x" }),
      );
      return {
        rules: [{ tool: "Write", input: { file_path: `${cwd}/sub/*` }, decision: "allow" }],
      };
    });
    await session.send("go").text();
    expect([made("sub/good"), made("evil")]).toEqual([true, false]);
    expect(model.calls.at(-1)?.toolResults.filter(({ isError }) => isError)).toHaveLength(2);
  });
  const shell = (file: string) => ({ command: `sh -c 'touch ${file}'`, description: "d" });
  const rules = (says: "deny" | "ask"): PolicyRule[] => [
    { tool: "Bash", input: { command: "*evil*" }, decision: says },
    { tool: "Bash", input: { command: "*asked*" }, decision: "ask" },
    { tool: "Bash", decision: "allow" },
  ];

  it("decide the updatedInput of a PreToolUse hook", async () => {
    const { session, made } = await open(path, [toolUse("Bash", shell("good")), "done"], {
      rules: rules("deny"),
      hooks: {
        PreToolUse: [
          {
            hooks: [
              () => ({
                hookSpecificOutput: {
                  hookEventName: "PreToolUse",
                  permissionDecision: "allow",
                  updatedInput: shell("evil"),
                },
              }),
            ],
          },
        ],
      },
    });
    const { permission_denials } = await session.send("go").result;
    expect([made("good"), made("evil"), permission_denials.length]).toEqual([false, false, 1]);
  });

  it("ask canUseTool about the updatedInput of a hook", async () => {
    const asked: unknown[] = [];
    const { session, made } = await open(path, [toolUse("Bash", shell("good")), "done"], {
      rules: rules("ask"),
      canUseTool: (_, input) => {
        asked.push(input["command"]);
        return { behavior: "deny", message: "no" };
      },
      hooks: {
        PreToolUse: [
          {
            hooks: [
              () => ({
                hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: shell("evil") },
              }),
            ],
          },
        ],
      },
    });
    await session.send("go").text();
    expect(asked).toEqual([shell("evil").command]);
    expect([made("good"), made("evil")]).toEqual([false, false]);
  });

  it("decide the updatedInput of canUseTool", async () => {
    const { session, made } = await open(path, [toolUse("Bash", shell("asked")), "done"], {
      rules: rules("deny"),
      canUseTool: () => ({ behavior: "allow", updatedInput: shell("evil") }),
    });
    const { permission_denials } = await session.send("go").result;
    expect([made("asked"), made("evil"), permission_denials.length]).toEqual([false, false, 1]);
  });

  it("decide the updatedInput of a PermissionRequest hook", async () => {
    const { session, made } = await open(path, [toolUse("Bash", shell("asked")), "done"], {
      rules: rules("deny"),
      canUseTool: () => null,
      hooks: {
        PermissionRequest: [
          {
            hooks: [
              () => ({
                hookSpecificOutput: {
                  hookEventName: "PermissionRequest",
                  decision: { behavior: "allow", updatedInput: shell("evil") },
                },
              }),
            ],
          },
        ],
      },
    });
    await session.send("go").text();
    expect([made("asked"), made("evil")]).toEqual([false, false]);
  });
});

it("a rule with `~` means the user's home folder if HOME is empty, as in the CLI", async () => {
  const secret = join(userInfo().homedir, "secret");
  const turn = { turn: [{ tool: "Read", input: { file_path: secret }, allowed: true }, "done"] };
  const { session } = await openFake([{ on: "user", do: [turn] }], {
    env: { HOME: "" },
    rules: [{ tool: "Read", input: { file_path: "~/secret" }, decision: "deny" }],
  });
  const seen: unknown[] = [];
  for await (const message of session.send("go")) seen.push(message);
  expect(JSON.stringify(seen)).toContain("Rule 1 (deny Read");
});

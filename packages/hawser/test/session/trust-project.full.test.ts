import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Options } from "../../src/options/index.js";
import { openSession } from "../../src/session/index.js";
import { always, fakeCli, isolatedEnv, reply, toolUse } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { allGone } from "../support/gone.js";
import {
  EXTENSIONS,
  INSTRUCTIONS,
  plantHostileProject,
  RUNS_IN_PROJECT,
} from "../support/hostile-project.js";
import { recordingLogger } from "../support/recording-logger.js";
import { type World, world } from "../support/world.js";
import { sharedSession } from "./shared-session.helper.js";
import {
  AGENT,
  command,
  many,
  nothingOn,
  outcomeOf,
  QUERY,
  RULE,
  type Run,
  ranByGit,
  readsGuarded,
  SESSION,
  seenBy,
  settingsOf,
} from "./trust-project.helper.js";

/** Adds a plugin to the settings of the project, whose hooks make the file that this returns. */
function plantPlugin({ cwd, home }: World): string {
  const ran = join(home, "plugin-ran");
  const hook = { hooks: [{ type: "command", command: `touch ${ran}` }] };
  const settings = join(cwd, ".claude/settings.json");
  const files = {
    "market/.claude-plugin/marketplace.json": {
      name: "market",
      owner: { name: "a" },
      plugins: [{ name: "planted", source: "./planted", description: "d" }],
    },
    "market/planted/.claude-plugin/plugin.json": { name: "planted", version: "1.0.0" },
    "market/planted/hooks/hooks.json": {
      hooks: { SessionStart: [hook], UserPromptSubmit: [hook] },
    },
    ".claude/settings.json": {
      ...JSON.parse(readFileSync(settings, "utf8")),
      extraKnownMarketplaces: {
        market: { source: { source: "directory", path: join(cwd, "market") } },
      },
      enabledPlugins: { "planted@market": true },
    },
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), JSON.stringify(content));
  }
  return ran;
}

describe.each(clisInTurn())("trustProject on $name", ({ path }) => {
  /** Runs twice in a hostile project, because the CLI installs a plugin first and runs it next time. */
  async function twice(runs: readonly Run[], more: Options) {
    const place = await world(
      path,
      always(({ toolResults }) => (toolResults.length > 0 ? "done" : reply(command))),
    );
    const project = plantHostileProject(place);
    const plugin = plantPlugin(place);
    const asked: string[] = [];
    const canUseTool: Options["canUseTool"] = async (tool) => {
      asked.push(tool);
      return { behavior: "deny", message: "no" };
    };
    for (const run of runs) await run({ ...place.options, canUseTool, ...more });
    await allGone();
    return { ran: project.ran(), plugin: existsSync(plugin), asked, ...seenBy(place) };
  }

  it("runs and grants nothing of a project by default in openSession() and complete() with preset agent, and reads its instructions", async () => {
    expect(await twice([SESSION, AGENT], {})).toEqual({
      ...nothingOn(path),
      asked: ["Bash", "Bash"],
      plugin: false,
    });
  });

  it("lets a project run and grant what its files say when it is true", async () => {
    expect(await twice([SESSION, SESSION], { trustProject: true })).toMatchObject({
      ran: RUNS_IN_PROJECT,
      words: [...INSTRUCTIONS, ...EXTENSIONS],
      hasHeader: true,
      plugin: true,
    });
  });

  it("does not make the CLI read instructions when settingSources is empty", async () => {
    const outcome = await outcomeOf(path, SESSION, { settingSources: [] });
    expect(outcome).toEqual({ ...nothingOn(path), words: [] });
  });

  it("is true by default in query(), as in the official SDK", async () => {
    const { ran } = await outcomeOf(path, QUERY, {});
    expect(ran).toEqual(RUNS_IN_PROJECT);
  });
});

describe.each(clisInTurn())("a project that is not trusted, on $name", ({ path }) => {
  let asked: unknown[];
  const shared = sharedSession(path, (cwd) => {
    mkdirSync(join(cwd, ".claude"));
    const write = (name: string, permissions: object) =>
      writeFileSync(join(cwd, ".claude", name), JSON.stringify({ permissions }));
    write("settings.json", {
      deny: ["Bash(touch denied)", "Read(./(private)/**)"],
      ask: ["Edit(/guarded/**)"],
    });
    write("settings.local.json", { ask: ["Bash(touch asked)"] });
    writeFileSync(join(cwd, "..", "private.txt"), "words-of-another-folder");
    symlinkSync("../private.txt", join(cwd, "CLAUDE.md"));
    return {
      allowedTools: ["Bash"],
      canUseTool: async (_, { command, file_path }) => {
        asked.push(command ?? file_path);
        return { behavior: "deny", message: "no" };
      },
    };
  });
  beforeEach(() => {
    asked = [];
  });

  it("keeps its deny and ask rules in force", async () => {
    const touch = (file: string) => toolUse("Bash", { command: `touch ${file}`, description: "d" });
    shared.script(touch("denied"), touch("asked"), touch("free"), "done");
    await shared.session.send("go").result;
    expect(asked).toEqual(["touch asked"]);
    expect(["denied", "asked", "free"].filter((file) => shared.made(file))).toEqual(["free"]);
  });

  it("keeps a rule in force whose path counts from the project's folder", async () => {
    const write = (name: string) => toolUse("Write", { file_path: name, content: "x" });
    shared.script(write("guarded/a.txt"), write("open/a.txt"), "done");
    await shared.session.setPermissionMode("acceptEdits");
    await shared.session.send("go").result;
    await shared.session.setPermissionMode("default");
    console.log(
      "DEBUG",
      asked,
      shared.calls.map((c) => c.toolResults),
    );
    expect([shared.made("guarded/a.txt"), shared.made("open/a.txt")]).toEqual([false, true]);
  });

  it("adds no instructions by a link that leads out of the folder", async () => {
    shared.script("done");
    await shared.session.send("go").result;
    expect(JSON.stringify(shared.world.model.requests)).not.toContain("words-of-another-folder");
  });
});

describe("a project that is not trusted", () => {
  it("causes a warning for each rule and each settings file that cannot count", async () => {
    await using cli = await fakeCli();
    const { cwd, env, dispose } = await isolatedEnv();
    mkdirSync(join(cwd, ".claude"));
    const permissions = { deny: ["Bash(rm *", 5, "Bash(rm *)"] };
    writeFileSync(join(cwd, ".claude/settings.json"), JSON.stringify({ permissions }));
    writeFileSync(join(cwd, ".claude/settings.local.json"), "{ broken");
    const { logger, entries } = recordingLogger();
    const session = await openSession({ cliPath: cli.path, cwd, env, inheritEnv: false, logger });
    await session.close();
    await dispose();
    const warnings = entries.filter(({ level }) => level === "warn").map(({ message }) => message);
    expect(warnings).toEqual([
      'A rule of the project is left out: "Bash(rm *"',
      "A rule of the project is left out: 5",
      "A settings file of the project cannot be read, so its deny rules do not count.",
    ]);
  });
});

describe.each(clisInTurn())("disallowedTools on $name", ({ path }) => {
  it("keeps the paths of its rules beside many other rules", async () => {
    const disallowedTools = [RULE, ...many()];
    expect(await readsGuarded(path, { disallowedTools })).toBe(false);
  });

  it("keeps the paths of rules in a settings file that is merged with other rules", async () => {
    const reads = await readsGuarded(path, ({ cwd }) => {
      const settings = join(cwd, "conf.json");
      writeFileSync(settings, JSON.stringify(settingsOf([RULE])));
      return { settings, disallowedTools: ["Bash(echo (a))"] };
    });
    expect(reads).toBe(false);
  });
});

describe.each(clisInTurn())("a Git configuration that runs programs, on $name", ({ path }) => {
  it("runs none of them in openSession()", async () => {
    expect(await ranByGit(path, SESSION, {})).toEqual([]);
  });
});

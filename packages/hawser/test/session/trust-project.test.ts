import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { complete } from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import { query } from "../../src/query/index.js";
import { openSession } from "../../src/session/index.js";
import { always, reply, toolUse } from "../../src/testing/index.js";
import { clisInTurn, NEWEST_CLI, OLDER_CLI } from "../support/cli.js";
import { allGone } from "../support/gone.js";
import {
  EXTENSIONS,
  type HostileProject,
  INSTRUCTIONS,
  plantHostileGit,
  plantHostileProject,
  RUNS_IN_PROJECT,
} from "../support/hostile-project.js";
import { recordingLogger } from "../support/recording-logger.js";
import { type World, world } from "../support/world.js";

type Run = (options: Options) => Promise<void>;

const SESSION: Run = async (options) => {
  const session = await openSession(options);
  onTestFinished(() => session.close());
  await session.send("go").result;
  await session.close();
};

const AGENT: Run = async (options) => {
  await complete("go", { preset: "agent", ...options });
};

const LEAN: Run = async (options) => {
  await complete("go", options);
};

const QUERY: Run = async (options) => {
  for await (const _ of query({ prompt: "go", options })) {
    // To its end.
  }
};

/** What became of a hostile project. */
interface Outcome {
  readonly ran: readonly string[];
  /** Tools that the callback was asked about. */
  readonly asked: readonly string[];
  readonly words: readonly string[];
  readonly hasHeader: boolean;
}

const command = toolUse("Bash", { command: "sh -c 'touch made'", description: "d" });

/** The folder is one that the CLI's own configuration calls trusted, which is the worse case. */
async function outcomeOf(cliPath: string, run: Run, more: Options): Promise<Outcome> {
  const place = await world(cliPath, [reply(command), "done"]);
  const project = plantHostileProject(place);
  const asked: string[] = [];
  const canUseTool: Options["canUseTool"] = async (tool) => {
    asked.push(tool);
    return { behavior: "deny", message: "no" };
  };
  await run({ ...place.options, canUseTool, ...more });
  await allGone();
  return { ran: project.ran(), asked, ...seenBy(place) };
}

function seenBy({ model }: World): Pick<Outcome, "words" | "hasHeader"> {
  const said = JSON.stringify(model.requests.map(({ body }) => body));
  const words = [...INSTRUCTIONS, ...EXTENSIONS].filter((word) => said.includes(word));
  return { words, hasHeader: model.requests.some(({ headers }) => headers["x-planted"]) };
}

/** An older CLI would load plugins together with the instructions, so there they are not read. */
function nothingOn(path: string): Outcome {
  const words = path === NEWEST_CLI ? INSTRUCTIONS : [];
  return { ran: [], asked: ["Bash"], words, hasHeader: false };
}

describe.each(clisInTurn())("trustProject on $name", ({ path }) => {
  it("runs and grants nothing of a project by default, and reads its instructions", async () => {
    expect(await outcomeOf(path, SESSION, {})).toEqual(nothingOn(path));
  });

  it("runs and grants nothing of a project in a call with preset agent", async () => {
    expect(await outcomeOf(path, AGENT, {})).toEqual(nothingOn(path));
  });

  it("lets a project run and grant what it says when it is true", async () => {
    expect(await outcomeOf(path, SESSION, { trustProject: true })).toMatchObject({
      ran: RUNS_IN_PROJECT,
      words: [...INSTRUCTIONS, ...EXTENSIONS],
      hasHeader: true,
    });
  });

  it("is implied by settingSources that name the project", async () => {
    const { ran } = await outcomeOf(path, AGENT, { settingSources: ["user", "project", "local"] });
    expect(ran).toEqual(RUNS_IN_PROJECT);
  });

  it("leaves out the instructions too when settingSources names no source", async () => {
    const outcome = await outcomeOf(path, SESSION, { settingSources: [] });
    expect(outcome).toEqual({ ...nothingOn(path), words: [] });
  });

  it("keeps the deny and ask rules of a project that is not trusted in force", async () => {
    const replies = [
      toolUse("Bash", { command: "touch denied", description: "d" }),
      toolUse("Bash", { command: "touch asked", description: "d" }),
      toolUse("Bash", { command: "touch free", description: "d" }),
      "done",
    ];
    const place = await world(path, replies);
    mkdirSync(join(place.cwd, ".claude"));
    const write = (name: string, permissions: object) =>
      writeFileSync(join(place.cwd, ".claude", name), JSON.stringify({ permissions }));
    write("settings.json", { deny: ["Bash(touch denied)", "Read(./(private)/**)"] });
    write("settings.local.json", { ask: ["Bash(touch asked)"] });
    const asked: unknown[] = [];
    await SESSION({
      ...place.options,
      allowedTools: ["Bash"],
      canUseTool: async (_, { command }) => {
        asked.push(command);
        return { behavior: "deny", message: "no" };
      },
    });
    expect(asked).toEqual(["touch asked"]);
    expect(readdirSync(place.cwd).sort()).toEqual([".claude", "free"]);
  });

  it("keeps a rule in force whose path counts from the project's folder", async () => {
    const write = (name: string) => toolUse("Write", { file_path: name, content: "x" });
    const place = await world(path, [write("guarded/a.txt"), write("free/a.txt"), "done"]);
    mkdirSync(join(place.cwd, ".claude"));
    const permissions = { ask: ["Edit(/guarded/**)"] };
    writeFileSync(join(place.cwd, ".claude/settings.json"), JSON.stringify({ permissions }));
    await SESSION({
      ...place.options,
      permissionMode: "acceptEdits",
      canUseTool: async () => ({ behavior: "deny", message: "no" }),
    });
    expect(existsSync(join(place.cwd, "guarded/a.txt"))).toBe(false);
    expect(existsSync(join(place.cwd, "free/a.txt"))).toBe(true);
  });

  it("warns of rules and settings files of the project that cannot count", async () => {
    const place = await world(path, ["done"]);
    mkdirSync(join(place.cwd, ".claude"));
    const permissions = { deny: ["Bash(rm *", 5, "Bash(rm *)"] };
    writeFileSync(join(place.cwd, ".claude/settings.json"), JSON.stringify({ permissions }));
    writeFileSync(join(place.cwd, ".claude/settings.local.json"), "{ broken");
    const { logger, entries } = recordingLogger();
    await SESSION({ ...place.options, logger });
    const warnings = entries.filter(({ level }) => level === "warn").map(({ message }) => message);
    expect(warnings).toEqual([
      'A rule of the project is left out: "Bash(rm *"',
      "A rule of the project is left out: 5",
      "A settings file of the project cannot be read, so its deny rules do not count.",
    ]);
  });

  it("reads no instructions that a link leads out of the folder", async () => {
    const place = await world(path, ["done"]);
    writeFileSync(join(place.home, "private.txt"), "words-of-another-folder");
    symlinkSync(join(place.home, "private.txt"), join(place.cwd, "CLAUDE.md"));
    await SESSION(place.options);
    expect(JSON.stringify(place.model.requests)).not.toContain("words-of-another-folder");
  });

  it("loads no plugin that the settings of the folder name", async () => {
    const place = await world(path, always("done"));
    const ran = join(place.home, "plugin-ran");
    const hook = { hooks: [{ type: "command", command: `touch ${ran}` }] };
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
        extraKnownMarketplaces: {
          market: { source: { source: "directory", path: join(place.cwd, "market") } },
        },
        enabledPlugins: { "planted@market": true },
      },
    };
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(place.cwd, name)), { recursive: true });
      writeFileSync(join(place.cwd, name), JSON.stringify(content));
    }
    // The first session installs a plugin, and the next one runs it.
    for (const _ of [1, 2]) await SESSION(place.options);
    expect(existsSync(ran)).toBe(false);
    for (const _ of [1, 2]) await SESSION({ ...place.options, trustProject: true });
    expect(existsSync(ran)).toBe(true);
  });

  it("is true by default in query(), as in the official SDK", async () => {
    const { ran } = await outcomeOf(path, QUERY, {});
    expect(ran).toEqual(RUNS_IN_PROJECT);
  });

  it("runs nothing of a project in query() when it is false", async () => {
    expect(await outcomeOf(path, QUERY, { trustProject: false })).toEqual(nothingOn(path));
  });
});

describe.each(clisInTurn())("deny rules of the caller, on $name", ({ path }) => {
  const RULE = "Read(/guarded/**)";
  const settingsOf = (deny: readonly string[]) => ({ permissions: { deny } });

  it.each<[string, Options, object]>([
    ["a rule of the project that needs a file", {}, settingsOf(["Bash(echo a\\) b)"])],
    ["many rules of the project", {}, settingsOf(many())],
    ["own rules that need a file", { disallowedTools: [RULE, "Bash(echo (a))"] }, {}],
    ["many own rules", { disallowedTools: [RULE, ...many()] }, {}],
  ])("keep their paths beside %s", async (_, more, settings) => {
    const place = await world(path, [toolUse("Read", { file_path: "guarded/a.txt" }), "done"]);
    for (const folder of [".claude", "guarded"]) mkdirSync(join(place.cwd, folder));
    writeFileSync(join(place.cwd, "guarded/a.txt"), "words-of-the-guarded-file");
    writeFileSync(join(place.cwd, ".claude/settings.json"), JSON.stringify(settings));
    await SESSION({ ...place.options, disallowedTools: [RULE], ...more });
    expect(JSON.stringify(place.model.requests)).not.toContain("words-of-the-guarded-file");
  });

  it("keep their paths when a settings file is merged with other rules", async () => {
    const place = await world(path, [toolUse("Read", { file_path: "guarded/a.txt" }), "done"]);
    mkdirSync(join(place.cwd, "guarded"));
    writeFileSync(join(place.cwd, "guarded/a.txt"), "words-of-the-guarded-file");
    const settings = join(place.cwd, "conf.json");
    writeFileSync(settings, JSON.stringify(settingsOf([RULE])));
    await SESSION({ ...place.options, settings, disallowedTools: ["Bash(echo (a))"] });
    expect(JSON.stringify(place.model.requests)).not.toContain("words-of-the-guarded-file");
  });
});

function many(): string[] {
  return Array.from({ length: 1000 }, (_, i) => `Bash(never ${i} *)`);
}

async function ranByGit(cliPath: string, run: Run, more: Options): Promise<readonly string[]> {
  const place = await world(cliPath, ["done"]);
  const project: HostileProject = plantHostileGit(place);
  await run({ ...place.options, ...more });
  await allGone();
  return project.ran();
}

describe.each(clisInTurn())("a Git configuration that runs programs, on $name", ({ path }) => {
  it.each<[string, Run, Options]>([
    ["openSession()", SESSION, {}],
    ["openSession() without setting sources", SESSION, { settingSources: [] }],
    ["complete()", LEAN, {}],
    ['complete() with preset "agent"', AGENT, {}],
  ])("runs none of them in %s", async (_, run, more) => {
    expect(await ranByGit(path, run, more)).toEqual([]);
  });
});

it("a Git configuration runs its programs on the older CLI when the project is trusted", async () => {
  expect(await ranByGit(OLDER_CLI, SESSION, { trustProject: true })).toContain("fsmonitor");
});

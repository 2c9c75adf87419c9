import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openSession } from "../../src/session/index.js";
import {
  type IsolatedEnv,
  isolatedEnv,
  SimulatedModel,
  text,
  toolUse,
} from "../../src/testing/index.js";
import { forkSession, getSessionMessages, listSessions } from "../../src/transcripts/index.js";
import { FULL, NEWEST_CLI } from "../support/cli.js";
import { HAWSER, hawserIn, KEYS, type Pty, place } from "../support/pty.js";

const KNOTS = "aaaa1111-0000-4000-8000-000000000001";
const ROPES = "aaaa2222-0000-4000-8000-000000000002";
const ELSEWHERE = "bbbb3333-0000-4000-8000-000000000003";

let world: IsolatedEnv;
let elsewhere: string;

/** Three sessions that the real CLI has written, two of them in the same folder. */
beforeAll(async () => {
  const model = await SimulatedModel.start({
    replies: [
      [text("I look."), toolUse("Bash", { command: "echo bowline && exit 3" })],
      text("It is the bowline.\nWith two lines."),
      text("Then the reef knot."),
      text("Hemp."),
      text("Elsewhere."),
    ],
  });
  world = await isolatedEnv({ baseUrl: model.url });
  elsewhere = join(world.home, "elsewhere");
  mkdirSync(elsewhere);
  const talk = async (sessionId: string, cwd: string, ...prompts: string[]) => {
    const { env } = world;
    const allowed = { allowedTools: ["Bash"] };
    const cliPath = NEWEST_CLI;
    const session = await openSession({
      cliPath,
      cwd,
      env,
      inheritEnv: false,
      sessionId,
      ...allowed,
    });
    for (const prompt of prompts) await session.send(prompt).text();
    await session.close();
  };
  await talk(KNOTS, world.cwd, "Which knot is it?", "And the next one?");
  await talk(ROPES, world.cwd, "Which rope?");
  await talk(ELSEWHERE, elsewhere, "What is here?");
  await model.close();
});

afterAll(() => world.dispose());

interface Place {
  readonly env: Record<string, string>;
  readonly cwd: string;
  readonly configDir: string;
}

/** A copy of what was written, to change as one likes. */
function copy(): Place {
  const configDir = mkdtempSync(join(tmpdir(), "sessions-"));
  onTestFinished(() => rmSync(configDir, { recursive: true, force: true }));
  cpSync(world.configDir, configDir, { recursive: true, preserveTimestamps: true });
  return { cwd: world.cwd, configDir, env: { ...world.env, CLAUDE_CONFIG_DIR: configDir } };
}

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function sessions({ env, cwd }: Omit<Place, "configDir">, ...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const all = [HAWSER, "sessions", ...args];
    const child = execFile(process.execPath, all, { env, cwd }, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

function terminal({ env, cwd }: Omit<Place, "configDir">, ...args: string[]): Pty {
  return hawserIn({ env, cwd, cols: 400 }, "sessions", ...args);
}

describe("hawser sessions list", () => {
  it("lists the sessions of the folder in a terminal, the latest first", async () => {
    const pty = terminal(world);
    expect((await pty.exit).code).toBe(0);
    const [header, first, second, ...rest] = pty.text.split("\n");
    expect(header).toMatch(/^ID +AGE {2}ABOUT$/);
    expect(first).toMatch(/^aaaa2222 +\d+ (s|min) ago {2}Which rope\?$/);
    expect(second).toMatch(/^aaaa1111 +\d+ (s|min) ago {2}\S/);
    expect(rest).toEqual([]);
  });

  it("prints one whole line for each session in a pipe, with --all those of every project", async () => {
    const lines = async (...args: string[]) => {
      const { out } = await sessions(world, ...args);
      return out
        .trimEnd()
        .split("\n")
        .map((line) => line.split("\t"));
    };
    expect((await lines()).map(([id, , cwd]) => [id, cwd])).toEqual([
      [ROPES, world.cwd],
      [KNOTS, world.cwd],
    ]);
    expect((await lines("list", "--all")).map(([id]) => id)).toEqual([ELSEWHERE, ROPES, KNOTS]);
    expect((await lines("--cwd", elsewhere)).map(([id]) => id)).toEqual([ELSEWHERE]);
  });

  it("prints every field with --json, and says when there are more than --limit", async () => {
    const { out } = await sessions(world, "--json", "--limit", "1");
    expect(JSON.parse(out)).toEqual({
      sessions: [expect.objectContaining({ sessionId: ROPES, firstPrompt: "Which rope?" })],
      more: true,
    });
    const pty = terminal(world, "--limit", "1");
    await pty.exit;
    expect(pty.text).toContain("There are more: --limit 5");
  });

  it("says in a terminal that there are none, and prints nothing in a pipe", async () => {
    const nowhere = { ...world, cwd: world.home };
    expect(await sessions(nowhere)).toEqual({ code: 0, out: "", err: "" });
    const pty = terminal(nowhere);
    await pty.exit;
    expect(pty.text).toContain(`There are no sessions in ${world.home}; --all lists those`);
  });
});

describe("hawser sessions show", () => {
  it("prints prompts and answers, and each tool on a line", async () => {
    const pty = terminal(world, "show", "aaaa1111");
    expect((await pty.exit).code).toBe(0);
    const ids = await getSessionMessages(KNOTS, { configDir: world.configDir });
    const short = (i: number) => ids.at(i)?.uuid.slice(0, 8);
    const said = pty.text.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "WHEN");
    expect(said).toContain(
      [
        `You  WHEN  ${short(0)}`,
        "Which knot is it?",
        "",
        `Claude  WHEN  ${short(-3)}`,
        "I look.",
        "  ▸ Bash echo bowline && exit 3",
        "    ✗ Exit code 3 bowline",
        "It is the bowline.",
        "With two lines.",
        "",
        `You  WHEN  ${short(-2)}`,
        "And the next one?",
        "",
        `Claude  WHEN  ${short(-1)}`,
        "Then the reef knot.",
      ].join("\n"),
    );
    const { out } = await sessions(world, "show", "aaaa1111");
    expect(out).not.toContain("\x1b");
    expect(out).toContain("▸ Bash echo bowline && exit 3");
  });

  it("prints the messages as JSON with --json", async () => {
    const { out } = await sessions(world, "show", KNOTS, "--json");
    expect(JSON.parse(out).messages).toEqual(
      await getSessionMessages(KNOTS, { configDir: world.configDir }),
    );
  });

  it("finds a session of another project by the start of its id", async () => {
    expect((await sessions(world, "show", "BBBB3")).out).toContain("What is here?");
  });
});

describe("hawser sessions with a wrong name", () => {
  it.each([
    ["aaaa", 64, ['"aaaa" matches 2 sessions.', KNOTS, ROPES]],
    ["aaa", 66, ['There is no session "aaa".', "Give at least 4 characters of its id"]],
    ["cccc", 66, ['There is no session "cccc".', "hawser sessions --all"]],
    ["../../etc/passwd", 66, ["There is no session"]],
  ])("refuses %s, and names the sessions or how to find them", async (name, code, told) => {
    const outcome = await sessions(world, "show", name);
    expect(outcome).toMatchObject({ code, out: "" });
    for (const each of told) expect(outcome.err).toContain(each);
    const json = await sessions(world, "show", name, "--json");
    expect(json).toMatchObject({ code, err: "" });
    expect(JSON.parse(json.out).error.message).toContain(told[0]);
  });

  it.each([
    [["shwo", KNOTS], "Did you mean `hawser sessions show`?"],
    [["show"], "`hawser sessions show` needs a session."],
    [["rename", KNOTS], "`hawser sessions rename` needs a session and a title."],
    [["show", KNOTS, "more"], 'Unexpected argument "more" of `hawser sessions show`.'],
    [["list", "--yes"], "`hawser sessions list` does not take --yes."],
    [["--limit", "many"], "--limit must be a whole number, not many."],
  ])("refuses %j", async (args, told) => {
    const { code, err } = await sessions(world, ...args);
    expect(code).toBe(64);
    expect(err).toContain(told);
  });
});

describe("hawser sessions rename, fork and delete", () => {
  it("rename gives a session a title, by which it is found", async () => {
    const place = copy();
    const { configDir } = place;
    expect(
      await sessions(world, "rename", "aaaa1", "All", "knots", "--config-dir", configDir),
    ).toEqual({ code: 0, out: `${KNOTS}\n`, err: "" });
    const found = await sessions(place, "show", "all KNOTS", "--json");
    expect(JSON.parse(found.out).session).toMatchObject({
      sessionId: KNOTS,
      customTitle: "All knots",
    });
    expect((await sessions(world, "show", "all knots")).code).toBe(66);
  });

  it("fork copies a session up to a message, and prints the new id", async () => {
    const place = copy();
    const { configDir } = place;
    const messages = await getSessionMessages(KNOTS, { configDir });
    const upTo = messages.at(-3)?.uuid.slice(0, 8) ?? "";
    const { code, out } = await sessions(place, "fork", KNOTS, "--up-to", upTo, "--title", "Half");
    expect(code).toBe(0);
    const fork = out.trim();
    expect(await getSessionMessages(fork, { configDir })).toHaveLength(messages.length - 2);
    expect((await sessions(place, "show", "half")).out).not.toContain("And the next one?");
    expect((await sessions(place, "fork", KNOTS, "--up-to", "nothing")).code).toBe(64);
    const json = JSON.parse((await sessions(place, "fork", "half", "--json")).out);
    expect(json).toEqual({ source: fork, sessionId: expect.not.stringMatching(fork) });
  });

  it("delete asks, and deletes only after a yes", async () => {
    const place = copy();
    const { configDir, cwd } = place;
    const left = async () =>
      (await listSessions({ configDir, dir: cwd })).map((each) => each.sessionId);
    const refused = terminal(place, "delete", KNOTS, ROPES);
    await refused.shows("Delete these 2 sessions for good? [y/N]");
    expect(refused.text).toMatch(/aaaa2222 {2}Which rope\?/);
    refused.type(KEYS.enter);
    expect((await refused.exit).code).toBe(1);
    expect(refused.text).toContain("Nothing was deleted.");
    const stopped = terminal(place, "delete", KNOTS);
    await stopped.shows("[y/N]");
    stopped.type(KEYS.ctrlC);
    expect((await stopped.exit).code).toBe(130);
    expect(await left()).toEqual([ROPES, KNOTS]);

    const agreed = terminal(place, "delete", "aaaa1111");
    await agreed.shows("Delete this session for good? [y/N]");
    agreed.enter("y");
    expect((await agreed.exit).code).toBe(0);
    expect(await left()).toEqual([ROPES]);
  });

  it("delete refuses a pipe without --yes, and deletes nothing if one session is missing", async () => {
    const place = copy();
    const silent = await sessions(place, "delete", KNOTS);
    expect(silent).toMatchObject({ code: 64, err: expect.stringContaining("--yes") });
    expect((await sessions(place, "delete", KNOTS, "cccc", "--yes")).code).toBe(66);
    const { out } = await sessions(place, "delete", KNOTS, "aaaa1", ROPES, "--yes", "--json");
    expect(JSON.parse(out)).toEqual({ deleted: [KNOTS, ROPES] });
    expect((await sessions(place)).out).toBe("");
  });

  it("prints the ids of deleted sessions in a pipe", async () => {
    expect(await sessions(copy(), "delete", ROPES, KNOTS, "--yes")).toEqual({
      code: 0,
      out: `${ROPES}\n${KNOTS}\n`,
      err: "",
    });
  });
});

describe("hawser sessions resume", () => {
  it("resume continues a session: with a prompt for one answer, otherwise as a chat", async () => {
    const place = copy();
    const model = await SimulatedModel.start({ replies: ["The sheet bend.", "The clove hitch."] });
    onTestFinished(() => model.close());
    const env = { ...place.env, HAWSER_CLI: NEWEST_CLI, ANTHROPIC_BASE_URL: model.url };
    // From another folder than that of the session.
    const there = { env, cwd: elsewhere };
    expect(await sessions(there, "resume", "aaaa1", "And", "then?")).toMatchObject({
      code: 0,
      out: "The sheet bend.\n",
    });
    const chat = terminal(there, "resume", "aaaa1");
    await chat.shows(/^>/m);
    chat.enter("And the last one?");
    await chat.shows("The clove hitch.");
    chat.enter("/quit");
    expect((await chat.exit).code).toBe(0);
    const told = (await sessions(place, "show", "aaaa1")).out;
    const prompts = ["Which knot is it?", "And the next one?", "And then?", "And the last one?"];
    const at = prompts.map((prompt) => told.lastIndexOf(prompt));
    expect(at).toEqual([...at].sort((a, b) => a - b));
    expect(at).not.toContain(-1);
  });
});

it("hawser sessions prints the name of its folder without control characters", async () => {
  const { cwd, env } = place();
  const strange = join(cwd, "a\x1b]0;title\x07b");
  mkdirSync(strange);
  const pty = hawserIn({ cwd: strange, env }, "sessions");
  await pty.shows("There are no sessions");
  await pty.exit;
  expect(pty.raw).not.toContain("\x1b]0;");
});

describe("hawser sessions --offline", () => {
  interface Listed {
    readonly sessions: readonly { readonly sessionId: string; readonly customTitle?: string }[];
  }

  it.each([
    ...(FULL ? [["the real CLI", NEWEST_CLI] as const] : []),
    ["the stand-in", "/nowhere/claude"] as const,
  ])(
    "lists, shows, renames, forks, resumes and deletes only sessions of --offline on %s",
    async (_, cli) => {
      const { cwd, env: own } = place();
      const env: Record<string, string> = { ...own, HAWSER_CLI: cli };
      const here = { cwd, env };
      const hawser = (...args: string[]) => run(here, args);
      const listed = async (...args: string[]) => {
        const { out } = await sessions(here, ...args, "--json");
        return (JSON.parse(out) as Listed).sessions;
      };
      const first = await hawser("ask", "--offline", "--agent", "Which knot?");
      expect(first).toMatchObject({
        code: 0,
        out: expect.stringContaining("You said: Which knot?"),
      });
      const [{ sessionId = "" } = {}, ...others] = await listed("--offline");
      expect(others).toEqual([]);
      expect(await listed()).toEqual([]);
      expect(existsSync(join(env["HOME"] ?? "", ".claude"))).toBe(false);

      const pty = hawserIn(here, "ask", "--offline", "--agent", "-c", "And then?");
      await pty.shows(/Continuing: Which knot\? \(\d+ (?:s|min) ago\)/);
      expect((await pty.exit).code).toBe(0);
      expect((await sessions(here, "rename", "--offline", sessionId, "Knots")).code).toBe(0);
      const shown = await sessions(here, "show", "--offline", "Knots");
      expect(shown.out).toMatch(/Which knot\?[\s\S]*And then\?/);
      const resumed = await sessions(here, "resume", "--offline", "Knots", "One more.");
      expect(resumed).toMatchObject({
        code: 0,
        out: expect.stringContaining("You said: One more."),
      });
      const fork = (await sessions(here, "fork", "--offline", sessionId)).out.trim();
      expect((await listed("--offline")).map((each) => each.sessionId).sort()).toEqual(
        [sessionId, fork].sort(),
      );
      expect((await sessions(here, "delete", "--offline", "--yes", sessionId, fork)).code).toBe(0);
      expect(await listed("--offline")).toEqual([]);
    },
  );

  it("is named where the folder has no other sessions", async () => {
    const here = standIn();
    await run(here, ["ask", "--offline", "--agent", "Which knot?"]);
    const pty = hawserIn(here, "sessions");
    await pty.shows("--offline lists those with the simulated model.");
    expect((await pty.exit).code).toBe(0);
    const offline = hawserIn(here, "sessions", "--offline");
    await offline.shows(/^ID +AGE +ABOUT\n\S{8} +\d+ (?:s|min) ago {2}Which knot\?/);
  });

  it("deletes sessions after 30 days", async () => {
    const here = standIn();
    const ask = (prompt: string) => run(here, ["ask", "--offline", "--agent", prompt]);
    await ask("Which knot?");
    const configDir = join(here.env["HOME"] ?? "", ".local/state/hawser/offline");
    const [old] = await listSessions({ configDir });
    const [file = ""] = readdirSync(join(configDir, "projects"), {
      recursive: true,
      encoding: "utf8",
    })
      .filter((name) => name.endsWith(`${old?.sessionId}.jsonl`))
      .map((name) => join(configDir, "projects", name));
    const longAgo = new Date(Date.now() - 31 * 86_400_000);
    utimesSync(file, longAgo, longAgo);
    await ask("And then?");
    const left = await listSessions({ configDir });
    expect(left).toHaveLength(1);
    expect(left[0]?.sessionId).not.toBe(old?.sessionId);
  });

  it("lets several commands delete old sessions at the same time", async () => {
    const { cwd, env: own } = place();
    const env: Record<string, string> = { ...own, HAWSER_CLI: "/nowhere/claude" };
    const here = { cwd, env };
    const ask = () => run(here, ["ask", "--offline", "hello"]);
    await run(here, ["ask", "--offline", "--agent", "Which knot?"]);
    const configDir = join(env["HOME"] ?? "", ".local/state/hawser/offline");
    const [{ sessionId = "" } = {}] = await listSessions({ configDir });
    for (let i = 0; i < 40; i += 1) await forkSession(sessionId, { configDir });
    const longAgo = new Date(Date.now() - 31 * 86_400_000);
    const files = readdirSync(join(configDir, "projects"), { recursive: true, encoding: "utf8" });
    for (const name of files.filter((each) => each.endsWith(".jsonl"))) {
      utimesSync(join(configDir, "projects", name), longAgo, longAgo);
    }
    const codes = (await Promise.all([ask(), ask(), ask(), ask()])).map(({ code }) => code);
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(await listSessions({ configDir })).toEqual([]);
  });

  it("answers a call where sessions cannot be kept", async () => {
    const { cwd, env } = standIn();
    const file = join(env["HOME"] ?? "", "a-file");
    writeFileSync(file, "");
    const here = { cwd, env: { ...env, XDG_STATE_HOME: file } };
    expect(await run(here, ["ask", "--offline", "hello"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("hello"),
      err: expect.stringContaining("This conversation is not saved"),
    });
  });

  it("resumes a session by the command that a failed call prints", async () => {
    const { cwd, env: own } = place();
    const here = { cwd, env: { ...own, HAWSER_CLI: "/nowhere/claude" } };
    const args = ["ask", "--offline", "--agent", "--timeout", "10s", "count to 1000"];
    const pty = hawserIn(here, ...args);
    await pty.shows(/To continue: hawser (sessions resume --offline \S+)/);
    expect((await pty.exit).code).toBe(124);
    const [, advice = ""] = /hawser (sessions resume --offline \S+)/.exec(pty.text) ?? [];
    const went = await run(here, [...advice.split(" "), "Go on."]);
    expect(went).toMatchObject({ code: 0, out: expect.stringContaining("You said: Go on.") });
  });

  it.each([[["--offline"]], [[]]])(
    "reports that there is no session to continue: chat -c %s",
    async (more) => {
      const here = place();
      expect(await run(here, ["chat", "-c", ...more])).toMatchObject({
        code: 66,
        out: "",
        err: expect.stringContaining(`There is no session to continue in ${here.cwd}.`),
      });
    },
  );

  it("is refused together with --config-dir", async () => {
    expect(await sessions(place(), "--offline", "--config-dir", "/x")).toMatchObject({
      code: 64,
      err: expect.stringContaining("Use --offline or --config-dir, not both."),
    });
  });
});

/** Where no CLI is installed: a stand-in answers `--offline`. */
function standIn(): { readonly cwd: string; readonly env: Record<string, string> } {
  const { cwd, env } = place();
  return { cwd, env: { ...env, HAWSER_CLI: "/nowhere/claude" } };
}

/** Any command, in a pipe. */
function run({ env, cwd }: Omit<Place, "configDir">, args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [HAWSER, ...args], { env, cwd }, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
    child.stdin?.end();
  });
}

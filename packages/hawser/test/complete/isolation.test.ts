import { once } from "node:events";
import { readdirSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type CompleteOptions, complete } from "../../src/complete/index.js";
import { always, toolUse } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { allGone } from "../support/gone.js";
import { recordingLogger } from "../support/recording-logger.js";
import { type World, world } from "../support/world.js";

beforeEach(() => {
  // What the machine has of its own must not matter, whatever a test passes on.
  for (const name of Object.keys(process.env)) {
    if (/^(?:ANTHROPIC|CLAUDE)/.test(name)) vi.stubEnv(name, undefined);
  }
});

afterEach(() => {
  vi.unstubAllEnvs();
});

const AGENT: CompleteOptions = {
  preset: "agent",
  settingSources: ["user", "project"],
  allowedTools: ["Bash"],
};

const showEnvironment = () => toolUse("Bash", { command: "env", description: "d" });

/** What is planted for the model to see, and where the counter-check finds it. */
const WORDS = [
  "canary-user-memory",
  "canary-project-memory",
  "canary-user-setting",
  "canary-agent",
  "canary-skill",
  "canary-command",
];

/** What is planted to run: each leaves a file. */
const RUNS = ["user-hook", "project-hook", "mcp-server"];

/** Puts something into every place that the CLI looks at; gives the folder for traces. */
async function plant({ cwd, configDir, home }: World): Promise<string> {
  const traces = await mkdtemp(join(home, "traces-"));
  const leaves = (name: string) => `touch ${join(traces, name)}`;
  const hooks = (name: string) => {
    const hook = [{ hooks: [{ type: "command", command: leaves(name) }] }];
    return { SessionStart: hook, UserPromptSubmit: hook };
  };
  const server = { command: "sh", args: ["-c", `${leaves("mcp-server")}; cat`] };
  const files: Record<string, string> = {
    [join(configDir, "CLAUDE.md")]: "Say canary-user-memory.",
    [join(cwd, "CLAUDE.md")]: "Say canary-project-memory.",
    [join(configDir, "settings.json")]: JSON.stringify({
      env: { PLANTED: "canary-user-setting" },
      enableAllProjectMcpServers: true,
      hooks: hooks("user-hook"),
    }),
    [join(cwd, ".claude/settings.json")]: JSON.stringify({ hooks: hooks("project-hook") }),
    [join(cwd, ".mcp.json")]: JSON.stringify({ mcpServers: { planted: server } }),
    [join(cwd, ".claude/agents/planted-agent.md")]: described("planted-agent", "canary-agent"),
    [join(cwd, ".claude/skills/planted-skill/SKILL.md")]: described(
      "planted-skill",
      "canary-skill",
    ),
    [join(cwd, ".claude/commands/planted-command.md")]: described(
      "planted-command",
      "canary-command",
    ),
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  return traces;
}

function described(name: string, description: string): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\nDo it.\n`;
}

describe.each(clisInTurn())("what lies about on the machine, on the real CLI $name", ({ path }) => {
  it.each<[string, CompleteOptions, string[]]>([
    ["", {}, []],
    [" with commands", { literalPrompt: false }, []],
    [" with a tool", { tools: ["Bash"], allowedTools: ["Bash"] }, ["Bash"]],
  ])("neither reaches the model nor runs in a call%s", async (_with, more, tools) => {
    const replies = tools.length === 0 ? ["Done."] : [showEnvironment(), "Done."];
    const place = await world(path, replies);
    const traces = await plant(place);
    expect((await complete("Work.", { ...place.options, ...more })).text).toBe("Done.");
    expect(place.model.calls[0]?.tools).toEqual(tools);
    await allGone();
    expect(JSON.stringify(place.model.requests)).not.toMatch(/canary|planted-/i);
    expect(readdirSync(traces)).toEqual([]);
  });

  it("does both where that is asked for, which shows that it would have been noticed", async () => {
    const place = await world(path, []);
    const traces = await plant(place);
    // The server may be slower than the model.
    const served = `until [ -e ${join(traces, "mcp-server")} ]; do sleep 0.1; done`;
    place.model.add(
      showEnvironment(),
      toolUse("Bash", { command: served, description: "d" }),
      "Done.",
    );
    expect((await complete("Work.", { ...place.options, ...AGENT })).text).toBe("Done.");
    await allGone();
    const seen = JSON.stringify(place.model.requests);
    expect(WORDS.filter((word) => !seen.includes(word))).toEqual([]);
    expect(readdirSync(traces).sort()).toEqual([...RUNS].sort());
  });
});

describe.each(clisInTurn())(
  "a secret in the environment of this program, on the real CLI $name",
  ({ path }) => {
    it.each<[string, CompleteOptions["inheritEnv"], boolean]>([
      ["is not seen by a tool unless it is passed on", false, false],
      ["is not seen by a tool if other variables are passed on", ["LANG"], false],
      ["is seen by a tool if everything is passed on", true, true],
      ["is seen by a tool if it is passed on by name", ["HOST_SECRET"], true],
    ])("%s", async (_title, inheritEnv, isSeen) => {
      vi.stubEnv("HOST_SECRET", "canary-of-the-host");
      const { model, options } = await world(path, [showEnvironment(), "Done."]);
      await complete("Work.", {
        ...options,
        preset: "agent",
        allowedTools: ["Bash"],
        inheritEnv,
      });
      expect(model.calls[1]?.toolResults[0]?.text).toContain("PATH=");
      expect(JSON.stringify(model.requests).includes("canary-of-the-host")).toBe(isSeen);
    });
  },
);

describe.each(clisInTurn())("a prompt, on the real CLI $name", ({ path }) => {
  it.each(["lean", "agent"] as const)("arrives as text, with the preset %s", async (preset) => {
    const { cwd, model, options } = await world(path, always("Done."));
    await writeFile(join(cwd, "note.txt"), "canary-in-a-file");
    const prompts = [
      "/clear",
      "/clear all",
      "@/etc/hostname",
      "See @/etc/hostname and @./note.txt.",
    ];
    for (const prompt of prompts) {
      expect((await complete(prompt, { ...options, preset })).text).toBe("Done.");
      expect(model.calls.at(-1)?.prompt).toBe(prompt);
    }
    expect(model.calls.length).toBe(prompts.length);
    const said = model.calls.map(({ body }) => JSON.stringify(saidBy("user", body))).join();
    expect(said).not.toMatch(/<command-name>|Called the Read tool|canary/);
  });

  it("brings a file along where that is asked for", async () => {
    const { cwd, model, options } = await world(path, ["Done."]);
    await writeFile(join(cwd, "note.txt"), "canary-in-a-file");
    await complete("See @./note.txt.", { ...options, preset: "agent", literalPrompt: false });
    expect(JSON.stringify(model.calls[0]?.body)).toContain("canary-in-a-file");
  });

  it("is nearly all that a lean call sends", async () => {
    const { model, options } = await world(path, ["Done."]);
    const prompt = "Name three knots.";
    await complete(prompt, options);
    const sent = model.requests.map(({ body }) => Buffer.byteLength(JSON.stringify(body) ?? ""));
    const sum = sent.reduce((all, each) => all + each, 0);
    expect(sum - prompt.length).toBeLessThanOrEqual(3 * 1024);
  });
});

function saidBy(role: string, body: unknown): unknown[] {
  return (body as { messages: { role: string }[] }).messages.filter((each) => each.role === role);
}

/** What a request showed as its credential, and the prompt that it was about. */
interface Shown {
  readonly key: string | undefined;
  readonly bearer: string | undefined;
  readonly body: string;
}

/** Stands before the model, which does not tell of credentials, and notes them. */
async function gate(modelUrl: string): Promise<{ url: string; shown: Shown[] }> {
  const shown: Shown[] = [];
  const server = createServer(async (incoming, response) => {
    const { method, headers, url = "/" } = incoming;
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    if (method === "POST") {
      const key = headers["x-api-key"]?.toString();
      const bearer = headers.authorization?.replace(/^Bearer /, "");
      shown.push({ key, bearer, body });
    }
    const onward = request(new URL(url, modelUrl), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    onward.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, shown };
}

/** A world whose model tells of credentials; with none of its own. */
async function guarded(path: string): Promise<World & { shown: Shown[] }> {
  const place = await world(path, always("Done."), { extra: { ANTHROPIC_API_KEY: undefined } });
  const { url, shown } = await gate(place.model.url);
  const env = { ...place.env, ANTHROPIC_BASE_URL: url };
  return { ...place, env, options: { ...place.options, env }, shown };
}

/** As `claude` leaves it when somebody logs in. */
async function logIn(configDir: string): Promise<void> {
  const claudeAiOauth = {
    accessToken: "dummy-login-token",
    refreshToken: "dummy-refresh-token",
    expiresAt: Date.now() + 30 * 86_400_000,
    scopes: ["user:inference"],
    subscriptionType: "max",
  };
  await mkdir(configDir, { recursive: true });
  await writeFile(join(configDir, ".credentials.json"), JSON.stringify({ claudeAiOauth }));
}

const KEY = { ANTHROPIC_API_KEY: "dummy-key-one" };
const TOKEN = { CLAUDE_CODE_OAUTH_TOKEN: "dummy-oauth-one" };
const AUTH = { ANTHROPIC_AUTH_TOKEN: "dummy-auth-one" };

describe.each(clisInTurn())("the credential in use, on the real CLI $name", ({ path }) => {
  const apiKey = { kind: "apiKey", source: "ANTHROPIC_API_KEY", overridesLogin: false };
  const login = { kind: "login", source: undefined, overridesLogin: false };
  const oauth = { kind: "oauthToken", source: "CLAUDE_CODE_OAUTH_TOKEN", overridesLogin: false };
  const auth = { kind: "authToken", source: "ANTHROPIC_AUTH_TOKEN", overridesLogin: false };

  it.each<[string, Record<string, string>, boolean, object, Partial<Shown>]>([
    ["a key", KEY, false, apiKey, { key: "dummy-key-one" }],
    ["an OAuth token", TOKEN, false, oauth, { bearer: "dummy-oauth-one" }],
    ["a bearer token", AUTH, false, auth, { bearer: "dummy-auth-one" }],
    ["a login", {}, true, login, { bearer: "dummy-login-token" }],
    [
      "a key beside a login",
      KEY,
      true,
      { ...apiKey, overridesLogin: true },
      { key: "dummy-key-one" },
    ],
    ["an OAuth token beside a login", TOKEN, true, oauth, { bearer: "dummy-oauth-one" }],
  ])("is told, never its value: %s", async (_what, given, loggedIn, credential, shown) => {
    const place = await guarded(path);
    if (loggedIn) await logIn(place.configDir);
    const { env } = place;
    const completion = await complete("x", { ...place.options, env: { ...env, ...given } });
    expect(completion.credential).toEqual(credential);
    expect(place.shown.map(({ body: _, ...each }) => each)).toEqual([
      { key: undefined, bearer: undefined, ...shown },
    ]);
    expect(JSON.stringify(completion)).not.toMatch(/dummy-/);
  });
});

describe.each(clisInTurn())("a key in place of a login, on the real CLI $name", ({ path }) => {
  const inherited = ["ANTHROPIC_API_KEY"];
  const hint = "Unset it, or pass `env: { ANTHROPIC_API_KEY: undefined }`, to use the login.";
  const warning = {
    level: "warn",
    message: "an inherited API key is used in place of the login",
    fields: { source: "ANTHROPIC_API_KEY", hint },
  };

  it.each<[string, CompleteOptions, boolean, object[]]>([
    ["is warned of if it is inherited", { inheritEnv: inherited }, true, [warning]],
    ["is no matter if there is no login", { inheritEnv: inherited }, false, []],
    ["is wanted if it is given as option", { apiKey: "dummy-key-two" }, true, []],
    ["is wanted if it is given in the environment", { env: KEY }, true, []],
  ])("%s", async (_title, more, loggedIn, warnings) => {
    vi.stubEnv("ANTHROPIC_API_KEY", "dummy-key-of-host");
    const { logger, entries } = recordingLogger();
    const place = await guarded(path);
    if (loggedIn) await logIn(place.configDir);
    const env = { ...place.env, ...more.env };
    const { credential } = await complete("x", { ...place.options, ...more, env, logger });
    expect(credential).toMatchObject({ kind: "apiKey", overridesLogin: loggedIn });
    expect(entries.filter(({ level }) => level === "warn")).toEqual(warnings);
  });
});

describe.each(clisInTurn())("a credential of one call, on the real CLI $name", ({ path }) => {
  it("goes to the CLI and not into the environment of this program", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "dummy-key-of-host");
    const place = await guarded(path);
    const configDir = join(place.home, "other-config");
    await logIn(configDir);
    const { CLAUDE_CONFIG_DIR: _, ...env } = place.env;
    const before = { ...process.env };
    const options = { ...place.options, env };
    const other = { ...options, configDir: place.configDir };
    const calls = [
      await complete("x", { ...other, inheritEnv: ["ANTHROPIC_API_KEY"], apiKey: "dummy-own-key" }),
      await complete("x", { ...other, inheritEnv: ["ANTHROPIC_API_KEY"], oauthToken: "dummy-own" }),
      await complete("x", { ...options, configDir }),
    ];
    expect(calls.map(({ credential }) => credential.kind)).toEqual([
      "apiKey",
      "oauthToken",
      "login",
    ]);
    expect(place.shown.map(({ key, bearer }) => key ?? bearer)).toEqual([
      "dummy-own-key",
      "dummy-own",
      "dummy-login-token",
    ]);
    expect({ ...process.env }).toEqual(before);
  });

  it("is not mixed up with that of another call at the same time", async () => {
    const { options, shown } = await guarded(path);
    const names = ["one", "two", "three"];
    await Promise.all(
      names.map((name) => complete(`prompt-${name}`, { ...options, apiKey: `dummy-key-${name}` })),
    );
    expect(shown.length).toBe(3);
    for (const name of names) {
      const own = shown.find(({ body }) => body.includes(`prompt-${name}`));
      expect(own?.key).toBe(`dummy-key-${name}`);
    }
  });
});

import { once } from "node:events";
import { readdirSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type CompleteOptions, complete } from "../../src/complete/index.js";
import { always, toolUse } from "../../src/testing/index.js";
import { clisInTurn, FULL } from "../support/cli.js";
import { allGone } from "../support/gone.js";
import { recordingLogger } from "../support/recording-logger.js";
import { type World, world } from "../support/world.js";

beforeEach(() => {
  // The variables of this machine must not matter in a test that passes variables on.
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

/** Words in planted files. The model must not see them, except in the counter-check. */
const WORDS = [
  "canary-user-memory",
  "canary-project-memory",
  "canary-user-setting",
  "canary-agent",
  "canary-skill",
  "canary-command",
];

/** Planted programs. Each of them leaves a file. */
const RUNS = ["user-hook", "project-hook", "mcp-server"];

/** Plants files in every place that the CLI reads. Returns the folder for traces. */
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

const PLACEHOLDER = "DeferredToolPlaceholder";

function described(name: string, description: string): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\nDo it.\n`;
}

describe.each(clisInTurn())("complete() among planted files, on the real CLI $name", ({ path }) => {
  const bash = { tools: ["Bash"], allowedTools: ["Bash"] };
  const isolated: [string, CompleteOptions, string[]][] = [
    ["by default", {}, []],
    ["with literalPrompt: false and a tool", { ...bash, literalPrompt: false }, ["Bash"]],
  ];
  const more: typeof isolated = [
    ["with literalPrompt: false", { literalPrompt: false }, []],
    ["with a tool", bash, ["Bash"]],
  ];

  it.each([...isolated, ...(FULL ? more : [])])(
    "neither sends nor runs anything of them %s",
    async (_with, more, tools) => {
      const replies = tools.length === 0 ? ["Done."] : [showEnvironment(), "Done."];
      const place = await world(path, replies);
      const traces = await plant(place);
      expect((await complete("Work.", { ...place.options, ...more })).text).toBe("Done.");
      // 2.1.325 adds an empty placeholder when the prompt is not literal (observed).
      const offered = place.model.calls[0]?.tools.filter((tool) => tool !== PLACEHOLDER);
      expect(offered).toEqual(tools);
      await allGone();
      expect(JSON.stringify(place.model.requests)).not.toMatch(/canary|planted-/i);
      expect(readdirSync(traces)).toEqual([]);
    },
  );

  it("sends and runs them if the options ask for it, which shows that the check would notice", async () => {
    const place = await world(path, []);
    const traces = await plant(place);
    // The MCP server may start later than the model answers.
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
  "inheritEnv and a secret in the environment of this program, on the real CLI $name",
  ({ path }) => {
    const others: [string, CompleteOptions["inheritEnv"], boolean][] = [
      ["false hides it from a tool", false, false],
      ["true shows it to a tool", true, true],
    ];

    it.each<[string, CompleteOptions["inheritEnv"], boolean]>([
      ["a list without it hides it from a tool", ["LANG"], false],
      ["a list with its name shows it to a tool", ["HOST_SECRET"], true],
      ...(FULL ? others : []),
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

describe.each(clisInTurn())("literalPrompt, on the real CLI $name", ({ path }) => {
  it.each(["lean", "agent"] as const)(
    "is on: commands and file names stay text, with the preset %s",
    async (preset) => {
      const { cwd, model, options } = await world(path, always("Done."));
      await writeFile(join(cwd, "note.txt"), "canary-in-a-file");
      const prompts = [
        "/clear all, see @/etc/hostname and @./note.txt.",
        ...(FULL ? ["/clear", "/clear all", "@/etc/hostname", "See @./note.txt."] : []),
      ];
      for (const prompt of prompts) {
        expect((await complete(prompt, { ...options, preset })).text).toBe("Done.");
        expect(model.calls.at(-1)?.prompt).toBe(prompt);
      }
      expect(model.calls.length).toBe(prompts.length);
      const said = model.calls.map(({ body }) => JSON.stringify(saidBy("user", body))).join();
      expect(said).not.toMatch(/<command-name>|Called the Read tool|canary/);
    },
  );

  it("false sends the content of a file that the prompt names", async () => {
    const { cwd, model, options } = await world(path, ["Done."]);
    await writeFile(join(cwd, "note.txt"), "canary-in-a-file");
    await complete("See @./note.txt.", { ...options, preset: "agent", literalPrompt: false });
    expect(JSON.stringify(model.calls[0]?.body)).toContain("canary-in-a-file");
  });
});

function saidBy(role: string, body: unknown): unknown[] {
  return (body as { messages: { role: string }[] }).messages.filter((each) => each.role === role);
}

/** The credential of a request, and its body. */
interface Shown {
  readonly key: string | undefined;
  readonly bearer: string | undefined;
  readonly body: string;
}

/** A proxy that records credentials, because the simulated model does not. */
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

/** A world without a credential, whose proxy records the credentials of requests. */
async function guarded(path: string): Promise<World & { shown: Shown[] }> {
  const place = await world(path, always("Done."), { extra: { ANTHROPIC_API_KEY: undefined } });
  const { url, shown } = await gate(place.model.url);
  const env = { ...place.env, ANTHROPIC_BASE_URL: url };
  return { ...place, env, options: { ...place.options, env }, shown };
}

/** Writes the file that `claude` writes when a user logs in. */
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

describe.each(clisInTurn())("Completion.credential, on the real CLI $name", ({ path }) => {
  const apiKey = { kind: "apiKey", source: "ANTHROPIC_API_KEY", overridesLogin: false };
  const login = { kind: "login", source: undefined, overridesLogin: false };
  const oauth = { kind: "oauthToken", source: "CLAUDE_CODE_OAUTH_TOKEN", overridesLogin: false };
  const auth = { kind: "authToken", source: "ANTHROPIC_AUTH_TOKEN", overridesLogin: false };
  const overriding = { ...apiKey, overridesLogin: true };

  interface Given {
    readonly env?: Record<string, string>;
    readonly options?: CompleteOptions;
    readonly loggedIn?: boolean;
  }
  const inheriting = { inheritEnv: ["ANTHROPIC_API_KEY"] };
  const rows: [string, Given, object, Partial<Shown>][] = [
    ["an OAuth token", { env: TOKEN }, oauth, { bearer: "dummy-oauth-one" }],
    ["a bearer token", { env: AUTH }, auth, { bearer: "dummy-auth-one" }],
    ["a login", { loggedIn: true }, login, { bearer: "dummy-login-token" }],
    [
      "a key in env beside a login",
      { env: KEY, loggedIn: true },
      overriding,
      { key: "dummy-key-one" },
    ],
    [
      "an inherited key beside a login, which is logged as a warning",
      { options: inheriting, loggedIn: true },
      overriding,
      { key: "dummy-key-of-host" },
    ],
  ];
  const others: typeof rows = [
    ["a key", { env: KEY }, apiKey, { key: "dummy-key-one" }],
    [
      "an OAuth token beside a login",
      { env: TOKEN, loggedIn: true },
      oauth,
      { bearer: "dummy-oauth-one" },
    ],
    ["an inherited key", { options: inheriting }, apiKey, { key: "dummy-key-of-host" }],
    [
      "the option apiKey beside a login",
      { options: { apiKey: "dummy-key-two" }, loggedIn: true },
      overriding,
      { key: "dummy-key-two" },
    ],
  ];
  const hint = "Unset it, or pass `env: { ANTHROPIC_API_KEY: undefined }`, to use the login.";
  const warning = {
    level: "warn",
    message: "an inherited API key is used in place of the login",
    fields: { source: "ANTHROPIC_API_KEY", hint },
  };

  it.each([...rows, ...(FULL ? others : [])])(
    "names its kind and source but not its value: %s",
    async (what, { env = {}, options = {}, loggedIn = false }, credential, shown) => {
      vi.stubEnv("ANTHROPIC_API_KEY", "dummy-key-of-host");
      const { logger, entries } = recordingLogger();
      const place = await guarded(path);
      if (loggedIn) await logIn(place.configDir);
      const own = { ...place.options, ...options, env: { ...place.env, ...env }, logger };
      const completion = await complete("x", own);
      expect(completion.credential).toEqual(credential);
      expect(place.shown.map(({ body: _, ...each }) => each)).toEqual([
        { key: undefined, bearer: undefined, ...shown },
      ]);
      expect(JSON.stringify(completion)).not.toMatch(/dummy-/);
      const warnings = what.includes("warning") ? [warning] : [];
      expect(entries.filter(({ level }) => level === "warn")).toEqual(warnings);
    },
  );
});

describe.each(clisInTurn())(
  "apiKey, oauthToken and configDir, on the real CLI $name",
  ({ path }) => {
    it("choose the credential of one call and leave the environment of this program alone", async () => {
      vi.stubEnv("ANTHROPIC_API_KEY", "dummy-key-of-host");
      const place = await guarded(path);
      const configDir = join(place.home, "other-config");
      await logIn(configDir);
      const { CLAUDE_CONFIG_DIR: _, ...env } = place.env;
      const before = { ...process.env };
      const options = { ...place.options, env };
      const other = { ...options, configDir: place.configDir };
      const calls = [
        await complete("x", {
          ...other,
          inheritEnv: ["ANTHROPIC_API_KEY"],
          apiKey: "dummy-own-key",
        }),
        await complete("x", {
          ...other,
          inheritEnv: ["ANTHROPIC_API_KEY"],
          oauthToken: "dummy-own",
        }),
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

    it("keep the credentials of simultaneous calls apart", async () => {
      const { options, shown } = await guarded(path);
      const names = FULL ? ["one", "two", "three"] : ["one", "two"];
      await Promise.all(
        names.map((name) =>
          complete(`prompt-${name}`, { ...options, apiKey: `dummy-key-${name}` }),
        ),
      );
      expect(shown.length).toBe(names.length);
      for (const name of names) {
        const own = shown.find(({ body }) => body.includes(`prompt-${name}`));
        expect(own?.key).toBe(`dummy-key-${name}`);
      }
    });
  },
);

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createMask as createLibraryMask, looksSecret } from "../../src/base/index.js";
import { complete } from "../../src/complete/index.js";
import { openSession } from "../../src/session/index.js";
import { record, replay, toolUse } from "../../src/testing/index.js";
import { NEWEST_CLI } from "../support/cli.js";
import { world } from "../support/world.js";
import { entriesOf, ownPath } from "./cassette-file.helper.js";

interface Mask {
  hide<T>(value: T): T;
  hideText(text: string): string;
  hideArgument(text: string): string;
  reveal<T>(value: T): T;
}

const program = new URL("../../src/testing/cassette/program/mask.mjs", import.meta.url);
const { createMask } = (await import(program.href)) as {
  createMask(env: Record<string, string>, cwd: string): Mask;
};

const HOME = { HOME: "/home/alice", PWD: "/home/alice/work" };
const CWD = "/home/alice/work";

describe("cassette secrets", () => {
  it("are recognized by the names that the library's mask knows", () => {
    const names =
      "API_KEY ANTHROPIC_API_KEY KEY KEYS MONKEY KEYBOARD GITHUB_TOKEN TOKENS MAX_TOKENS DB_PASSWORD PASSPHRASE MY_SECRET_THING AUTH X_AUTH_Y AUTHOR COOKIE SENTRY_DSN DATABASE_URL WEBHOOK PATH HOME x-api-key ANTHROPIC_CUSTOM_HEADERS DB_PASS SSHPASS MYSQL_PWD PWD OLDPWD LDAP_BIND_PW JWT GITHUB_PAT COMPASS PASSTHROUGH PATTERN";
    for (const name of names.split(" ")) {
      const hidden = createMask({ [name]: "canary-value" }, CWD).hideText("a canary-value");
      expect([name, hidden !== "a canary-value"]).toEqual([name, looksSecret(name)]);
    }
  });

  it.each([
    "sk-ant-api03-abcdefgh",
    "ghp_abcdefghijklmnop1234",
    "github_pat_abcdefghijklmnop1234",
    "xoxb-1234567890-abc",
    "AKIAABCDEFGHIJKLMNOP",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc",
    "Authorization: Bearer abcdefgh",
    '{"x-api-key":"abcdefgh"}',
    "https://user:secret@host/path",
    "a+b.c-d://user:secret@host",
    "no scheme ://user:secret@host",
    "-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc.def, eyJ.eyJ.eyJ",
    "just text: with // and @ and sk- in it",
  ])("are recognized by the shapes that the library's mask knows: %s", (text) => {
    for (const around of [text, `before ${text} after`, `"${text}"`]) {
      expect(createMask({}, CWD).hideText(around)).toBe(createLibraryMask({})(around));
    }
  });

  it("are hidden in every form that a line may contain", () => {
    const secret = 'pass"word\\1/ü';
    const mask = createMask({ DB_PASSWORD: secret, DB_KEY: "first line\nsecond line" }, CWD);
    const nested = JSON.stringify({ inner: JSON.stringify({ secret }) });
    const forms = [
      secret,
      JSON.stringify(secret),
      nested,
      encodeURIComponent(secret),
      Buffer.from(secret).toString("base64"),
      "first line\nsecond line",
      "only the second line here",
    ];
    for (const form of forms) expect(mask.hideText(form)).toMatch(/\*\*\*|<hawser:env:DB_/);
    expect(mask.hideText(nested)).not.toContain("pass");
    const object = { [secret]: [secret, { deep: `a ${secret} b` }] };
    expect(mask.hide(object)).toEqual({
      "<hawser:env:DB_PASSWORD>": [
        "<hawser:env:DB_PASSWORD>",
        { deep: "a <hawser:env:DB_PASSWORD> b" },
      ],
    });
    expect(mask.reveal(mask.hide(object))).toEqual(object);
  });

  it("are hidden in the settings of servers, as is the account", () => {
    const mask = createMask({}, CWD);
    const servers = { a: { env: { X_TOKEN: "abc", LANG: "C" }, headers: { "X-Api-Key": "abc" } } };
    const hidden = { a: { env: { X_TOKEN: "***", LANG: "C" }, headers: { "X-Api-Key": "***" } } };
    expect(mask.hide({ mcpServers: servers })).toEqual({ mcpServers: hidden });
    for (const flag of ["", "--mcp-config="]) {
      const argument = flag + JSON.stringify({ mcpServers: servers });
      expect(mask.hideArgument(argument)).toBe(flag + JSON.stringify({ mcpServers: hidden }));
    }
    const account = { email: "alice@example.org", organization: "Knots", tokenSource: "claude.ai" };
    expect(mask.hide({ account })).toEqual({
      account: { email: "***", organization: "***", tokenSource: "claude.ai" },
    });
  });
});

describe("cassette paths", () => {
  const mask = createMask(
    {
      ...HOME,
      TMPDIR: "/var/tmp/alice/",
      CLAUDE_CONFIG_DIR: "/home/alice/.claude",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:4711",
    },
    CWD,
  );

  it.each([
    ["/home/alice/work/a.txt", "<hawser:cwd>/a.txt"],
    ["/home/alice/work", "<hawser:cwd>"],
    ["in /home/alice/work.", "in <hawser:cwd>."],
    ["/home/alice/workers", "<hawser:home>/workers"],
    ["/home/alice2", "/home/alice2"],
    ["file:///home/alice/x", "file://<hawser:home>/x"],
    [
      "/home/alice/.claude/projects/-home-alice-work/1.jsonl",
      "<hawser:config>/projects/<hawser:cwd-slug>/1.jsonl",
    ],
    ["/x/-home-alice-other", "/x/<hawser:home-slug>-other"],
    ["/var/tmp/alice/cc-socks/1.sock", "<hawser:tmp>/cc-socks/1.sock"],
    ["connect to http://127.0.0.1:4711/v1", "connect to http://<hawser:api>/v1"],
    ["127.0.0.1:47111", "127.0.0.1:47111"],
  ])("%s is recorded as %s and replayed as the original", (text, hidden) => {
    expect(mask.hideText(text)).toBe(hidden);
    expect(mask.reveal(hidden)).toBe(text);
  });

  it("are replayed as the paths of the replaying machine", () => {
    const other = createMask({ HOME: "/Users/bob" }, "/Users/bob/src");
    expect(other.reveal("<hawser:cwd> <hawser:config> <hawser:api> <hawser:cwd-slug>")).toBe(
      "/Users/bob/src /Users/bob/.claude api.anthropic.com -Users-bob-src",
    );
    expect(other.reveal("<hawser:env:MY_TOKEN> <hawser:unknown>")).toBe("*** <hawser:unknown>");
  });

  it("of one segment are replaced only where a path begins", () => {
    const root = createMask({ HOME: "/root" }, "/root");
    expect(root.hideText("/root/a /opt/root /rootless non-root")).toBe(
      "<hawser:cwd>/a /opt/root /rootless non-root",
    );
  });
});

it("record() of the real CLI stores no secret and no path of the machine", async () => {
  const canary = "canary-7f3a9b-value";
  const extra = { MY_SERVICE_TOKEN: canary, ANTHROPIC_CUSTOM_HEADERS: `x-api-key: ${canary}` };
  const command = "echo $MY_SERVICE_TOKEN; echo $HOME; echo $MY_SERVICE_TOKEN >&2; pwd";
  const place = await world(
    NEWEST_CLI,
    [
      toolUse("Bash", { command, description: "tell" }),
      "told",
      toolUse("Read", { file_path: "/nowhere" }),
      "read",
    ],
    { extra },
  );
  const file = await ownPath();
  const output: string[] = [];
  const run = async (cliPath: string) => {
    await using session = await openSession({
      ...place.options,
      cliPath,
      allowedTools: ["Bash", "Read"],
      mcpServers: { gone: { command: "/nowhere", env: { GONE_TOKEN: "another-canary" } } },
    });
    const turn = session.send("Tell me.");
    for await (const message of turn) {
      if (message.type === "user") output.push(JSON.stringify(message.message));
    }
    expect(await turn.text()).toBe("told");
    expect(await session.send(`What is in ${join(place.home, "x")}?`).text()).toBe("read");
  };
  {
    await using recorder = await record({ file, cliPath: NEWEST_CLI });
    await run(recorder.path);
  }
  // Otherwise the test would prove nothing.
  expect(output.join()).toContain(canary);
  expect(output.join()).toContain(place.home);
  const bytes = await readFile(file, "latin1");
  const { port } = new URL(place.model.url);
  const told = [canary, "another-canary", "dummy-api-key", place.home, place.cwd, `:${port}`];
  expect(told.filter((secret) => bytes.includes(secret))).toEqual([]);
  expect(JSON.stringify(await entriesOf(file))).toContain("<hawser:env:MY_SERVICE_TOKEN>");

  const before = output.splice(0);
  await using tape = await replay(file);
  await run(tape.path);
  expect(await tape.mismatches()).toEqual([]);
  expect(output).toEqual(before);
});

it("record() of a failed answer stores no port", async () => {
  const place = await world(NEWEST_CLI, []);
  await place.model.close();
  const file = await ownPath();
  {
    await using recorder = await record({ file, cliPath: NEWEST_CLI });
    const options = { ...place.options, cliPath: recorder.path, retry: { cliRetries: 0 } };
    await complete("Hello?", options).catch(() => {});
  }
  const { port } = new URL(place.model.url);
  expect(await readFile(file, "utf8")).not.toContain(`:${port}`);
});

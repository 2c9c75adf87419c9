import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ERROR_CODES, type ErrorCode } from "../../src/base/index.js";
import { OLDEST_NODE } from "../../src/bin/doctor/check-host.js";
import { compareVersions, OPTION_TABLE, parseVersion } from "../../src/options/index.js";
import { openSession } from "../../src/session/index.js";
import {
  fakeCli,
  type IsolatedEnv,
  type IsolatedEnvOptions,
  isolatedEnv,
  SimulatedModel,
} from "../../src/testing/index.js";
import { earlierCli, NEWEST_CLI, OLDER_CLI } from "../support/cli.js";
import { CAN_BE_FOREIGN, forOtherLibc, forOtherProcessor } from "../support/foreign.js";
import { HAWSER, Pty } from "../support/pty.js";

const PLANTED = "planted-9f3c1e7a5b2d";

async function place(options: IsolatedEnvOptions = {}): Promise<IsolatedEnv> {
  const made = await isolatedEnv({ baseUrl: "http://127.0.0.1:9", ...options });
  onTestFinished(() => made.dispose());
  return made;
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "doctor-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** What a person sees, and the exit code. */
async function seen({ env, cwd }: IsolatedEnv, args: readonly string[], hawser = HAWSER) {
  const command = [process.execPath, hawser, "doctor", ...args];
  const pty = new Pty(command, { env, cwd, cols: 400 });
  const { code } = await pty.exit;
  return { code, text: pty.text };
}

/** What a program sees. */
function piped({ env, cwd }: IsolatedEnv, ...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [HAWSER, "doctor", ...args],
      { env, cwd },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, text: stdout, stderr }),
    );
  });
}

interface Outcome {
  readonly code: number;
  readonly text: string;
  readonly stderr: string;
}

interface Report {
  readonly exitCode: number;
  readonly problems: number;
  readonly findings: readonly {
    readonly id: string;
    readonly level: string;
    readonly code?: ErrorCode;
    readonly message: string;
    readonly remedy?: string;
  }[];
}

async function report(world: IsolatedEnv, ...args: string[]): Promise<Report> {
  const { code, text } = await piped(world, "--json", ...args);
  const data: Report = JSON.parse(text);
  expect(data.exitCode).toBe(code);
  return data;
}

/** hawser where no CLI is installed beside it, and a PATH with nothing on it but what is put there. */
function bareMachine(): { readonly hawser: string; readonly bin: string } {
  const root = folder();
  cpSync(dirname(dirname(HAWSER)), join(root, "dist"), { recursive: true });
  writeFileSync(join(root, "package.json"), '{ "type": "module" }');
  const bin = join(root, "bin");
  mkdirSync(bin);
  return { hawser: join(root, "dist/bin/main.js"), bin };
}

function program(path: string, contents: string | Buffer): string {
  writeFileSync(path, contents);
  chmodSync(path, 0o755);
  return path;
}

const STUB = '#!/bin/sh\necho "Error: claude native binary not installed." >&2\nexit 1\n';

/** Installed for the whole machine, so that it is always found. */
const HAS_USUAL_CLI = ["/usr/local/bin/claude", "/opt/homebrew/bin/claude"].some(existsSync);

describe("hawser doctor", () => {
  it("reports no problem on a healthy machine, and exits with 0", async () => {
    const world = await place();
    const { code, text } = await seen(world, ["--cli", NEWEST_CLI]);
    expect(text).toContain(`✓ cli               ${NEWEST_CLI} (set by --cli)`);
    expect(text).toMatch(/✓ cli-version +\d+\.\d+\.\d+, supports every option/);
    expect(text).toMatch(/✓ credential +found ANTHROPIC_API_KEY/);
    expect(text).toMatch(new RegExp(`✓ config-folder +${world.configDir}`));
    expect(text).toMatch(/^No problems/m);
    expect(code).toBe(0);
  });

  it("starts the CLI only to ask for its version", async () => {
    const cli = await fakeCli({ version: "2.1.325 (Claude Code)" });
    onTestFinished(() => cli.dispose());
    await seen(await place(), ["--cli", cli.path]);
    expect((await cli.recorded()).map(({ argv }) => argv)).toEqual([["-v"]]);
  });

  it("names the options that an older CLI lacks, as OPTION_TABLE has them", async () => {
    const { findings } = await report(await place(), "--cli", OLDER_CLI);
    const version = findings.find(({ id }) => id === "cli-version");
    expect(version).toMatchObject({ level: "warning", code: "unsupported_by_cli" });
    const newer = Object.entries(OPTION_TABLE).filter(([, { since }]) => {
      return compareVersions(parseVersion(since ?? "0.0.0") ?? [0, 0, 0], [2, 1, 197]) > 0;
    });
    expect(newer.length).toBeGreaterThan(0);
    for (const [name, { since }] of newer) expect(version?.message).toContain(`${name} (${since})`);
    expect(version?.message).toContain(`lacks ${newer.length} options`);
  });

  it.each([
    ["2.1.50", ["/clear", "plan", "auto", "settings"]],
    ["2.1.197", ["plan"]],
    ["the newest", []],
  ] as const)(
    "names what hawser refuses on %s, with the words of the refusal",
    async (name, words) => {
      const cli =
        name === "the newest" ? NEWEST_CLI : name === "2.1.197" ? OLDER_CLI : earlierCli(name);
      const world = await place();
      const { findings, exitCode } = await report(world, "--cli", cli);
      const refused = findings.filter(({ id }) => id === "cli-refused");
      expect(refused.map(({ message }) => message)).toEqual(
        words.map((word) => expect.stringContaining(word)),
      );
      for (const { level, code, message, remedy } of refused) {
        expect({ level, code }).toEqual({ level: "warning", code: "unsupported_by_cli" });
        expect(message).toMatch(
          / is refused: it needs Claude Code 2\.1\.\d+ or newer, because an /,
        );
        expect(remedy).toMatch(/^Update the CLI with `claude update` or npm, or [a-z]/);
      }
      expect(exitCode).toBe(0);
      if (words.length === 0) return;
      // A session is refused for the same reason.
      const options = { permissionMode: "plan", allowDangerouslySkipPermissions: true } as const;
      const { env, cwd } = world;
      const session = openSession({ ...options, cliPath: cli, env, inheritEnv: false, cwd });
      const reason =
        "needs Claude Code 2.1.269 or newer, because an older one then refuses nothing";
      await expect(session).rejects.toMatchObject({
        code: "unsupported_by_cli",
        message: expect.stringContaining(reason),
      });
      expect(refused.some(({ message }) => message.includes(reason))).toBe(true);
    },
  );

  it("reports a CLI before 2.0.0 as a problem", async () => {
    const cli = await fakeCli({ version: "1.0.98 (Claude Code)" });
    onTestFinished(() => cli.dispose());
    expect((await report(await place(), "--cli", cli.path)).findings).toContainEqual({
      id: "cli-version",
      level: "problem",
      code: "unsupported_by_cli",
      message: "hawser needs Claude Code 2.0.0 or newer; this one is 1.0.98.",
      remedy: expect.stringMatching(/^Update the CLI with `claude update`, or with `npm install/),
    });
  });

  it("prints the findings to a pipe without colours, and as data with --json", async () => {
    const world = await place();
    const { text } = await piped(world, "--cli", "/nowhere/claude");
    expect(text).toMatch(/^ {2}✗ cli {2,}The CLI that --cli names was not found/m);
    expect(text).not.toContain("\x1b");
    const { exitCode, problems, findings } = await report(world, "--cli", "/nowhere/claude");
    expect({ exitCode, problems }).toEqual({ exitCode: 127, problems: 1 });
    for (const finding of findings) {
      expect(finding).toMatchObject({ id: expect.any(String), message: expect.any(String) });
      expect(["ok", "note", "warning", "problem"]).toContain(finding.level);
      if (finding.level === "problem") expect(Object.keys(ERROR_CODES)).toContain(finding.code);
      if (finding.level === "warning") expect(finding.remedy).toBeTruthy();
    }
  });

  it("checks the Node version that package.json requires", () => {
    const { engines } = JSON.parse(
      readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"),
    );
    expect(`${engines.node}.0`).toBe(`>=${OLDEST_NODE}`);
  });
});

describe("hawser doctor on the executable", () => {
  it.skipIf(HAS_USUAL_CLI)("reports that there is no CLI, and where it looked", async () => {
    const { hawser, bin } = bareMachine();
    const world = await place({ extra: { PATH: bin } });
    const { code, text } = await seen(world, [], hawser);
    expect(code).toBe(127);
    expect(text).toMatch(/✗ cli +The Claude Code CLI was not found\./);
    expect(text).toContain("npm install -g @anthropic-ai/claude-code");
    expect(text).toContain(join(bin, "claude"));
    expect(text).not.toMatch(/_bundled|cliPath|hawser doctor`/);
    const [, tried = ""] = /Tried: (.*?)\. /.exec(text.replace(/\s+/g, " ")) ?? [];
    const places = tried.split(", ");
    expect(places.length).toBeGreaterThan(5);
    expect(new Set(places).size).toBe(places.length);
  });

  it("does not call the CLI that it uses passed over, if the CLI and hawser are in the project of the current directory", async () => {
    const project = folder();
    const modules = join(project, "node_modules");
    const hawser = join(modules, "hawser");
    mkdirSync(join(modules, "@anthropic-ai"), { recursive: true });
    mkdirSync(hawser);
    cpSync(dirname(dirname(HAWSER)), join(hawser, "dist"), { recursive: true });
    writeFileSync(join(hawser, "package.json"), '{ "type": "module" }');
    const platform = dirname(NEWEST_CLI);
    symlinkSync(platform, join(modules, "@anthropic-ai", basename(platform)));
    const world = { ...(await place({ extra: { PATH: "/usr/bin:/bin" } })), cwd: project };
    const { code, text } = await seen(world, [], join(hawser, "dist/bin/main.js"));
    expect(text).toMatch(
      /✓ cli +\S+\/claude \(from an npm package installed together with hawser\)/,
    );
    expect(text).not.toContain("cli-passed-over");
    expect(code).toBe(0);
  });

  it.skipIf(HAS_USUAL_CLI)("recognizes the stub of the npm package", async () => {
    const { hawser, bin } = bareMachine();
    const stub = program(join(bin, "claude"), STUB);
    const world = await place({ extra: { PATH: bin } });
    const { code, text } = await seen(world, [], hawser);
    expect(code).toBe(127);
    expect(text).toMatch(/! cli-passed-over +\S+ is skipped: it is the npm package's stub/);
    expect(text).toContain("Run `node install.cjs`");
    expect((await seen(world, ["--cli", stub], hawser)).code).toBe(126);
  });

  it.skipIf(!CAN_BE_FOREIGN)("recognizes a CLI for another libc", async () => {
    const cli = program(join(folder(), "claude"), forOtherLibc());
    const { code, text } = await seen(await place(), ["--cli", cli]);
    expect(code).toBe(126);
    expect(text).toContain(
      `${cli} cannot start: it is built for musl, whose loader /lib/ld-musl-none.so.1 is not on this machine.`,
    );
  });

  it.skipIf(!CAN_BE_FOREIGN)("recognizes a CLI for another processor", async () => {
    const { bytes, processor } = forOtherProcessor();
    const cli = program(join(folder(), "claude"), bytes);
    const { code, text } = await seen(await place(), ["--cli", cli]);
    expect(code).toBe(126);
    expect(text).toContain(`cannot start: it is built for ${processor}, but this machine is linux`);
  });

  it.skipIf(process.platform === "win32")(
    "recognizes a script whose interpreter is missing",
    async () => {
      const cli = program(join(folder(), "claude"), "#!/nowhere/node\n");
      const { code, text } = await seen(await place(), ["--cli", cli]);
      expect(code).toBe(126);
      expect(text).toContain("its first line names /nowhere/node, which does not exist.");
    },
  );

  it.skipIf(process.platform === "win32")("recognizes a program that is not the CLI", async () => {
    const { code, text } = await seen(await place(), ["--cli", "/bin/ls"]);
    expect(code).toBe(126);
    expect(text).toContain("/bin/ls is not the Claude Code CLI");
    const node = await report(await place(), "--cli", process.execPath);
    expect(node.findings).toContainEqual(
      expect.objectContaining({ id: "cli-start", level: "problem", code: "cli_not_runnable" }),
    );
  });

  it("reports another CLI that is later on PATH", async () => {
    const { hawser, bin } = bareMachine();
    const other = join(bin, "other");
    mkdirSync(other);
    const say = '#!/bin/sh\necho "2.1.325 (Claude Code)"\n';
    program(join(bin, "claude"), say);
    const hidden = program(join(other, "claude"), `${say}exit 0\n`);
    const world = await place({ extra: { PATH: `${bin}:${other}:/bin` } });
    const { code, text } = await seen(world, [], hawser);
    expect(text).toMatch(
      new RegExp(`! cli-others +It hides another claude later on PATH: ${hidden}`),
    );
    expect(code).toBe(0);
  });
});

describe("hawser doctor on credentials", () => {
  const cli = ["--cli", NEWEST_CLI];

  it("reports that there is none", async () => {
    const world = await place({ extra: { ANTHROPIC_API_KEY: undefined } });
    rmSync(join(world.configDir, ".claude.json"));
    const { code, text } = await seen(world, cli);
    expect(text).toMatch(/✗ credential +No login and no API key was found\./);
    expect(code).toBe(77);
  });

  it("reports that a state file may hold a key, without opening it", async () => {
    const world = await place({ extra: { ANTHROPIC_API_KEY: undefined } });
    const { code, text } = await seen(world, cli);
    expect(text).toMatch(
      /! credential +No credential was found\. .*Console login in \S+claude\.json/,
    );
    expect(code).toBe(0);
  });

  it("warns about a key that is used in place of a login", async () => {
    const world = await place();
    writeFileSync(join(world.configDir, ".credentials.json"), `{"token":"${PLANTED}"}`);
    const { code, text } = await seen(world, cli);
    expect(text).toMatch(
      /! credential-override +ANTHROPIC_API_KEY is used instead of the login in /,
    );
    expect(text).not.toContain(PLANTED);
    expect(code).toBe(0);
  });

  it("warns about apiKeyHelper, which lean calls do not see", async () => {
    const world = await place({ extra: { ANTHROPIC_API_KEY: undefined } });
    const settings = { apiKeyHelper: `echo ${PLANTED}` };
    writeFileSync(join(world.configDir, "settings.json"), JSON.stringify(settings));
    const { text } = await seen(world, cli);
    expect(text).toMatch(/! credential +The only credential is apiKeyHelper in /);
    expect(text).not.toContain(PLANTED);
  });

  it("recognizes the variable of a cloud provider", async () => {
    const extra = { ANTHROPIC_API_KEY: undefined, CLAUDE_CODE_USE_BEDROCK: "1" };
    const { text } = await seen(await place({ extra }), cli);
    expect(text).toMatch(/✓ credential +Amazon Bedrock \(CLAUDE_CODE_USE_BEDROCK\)/);
  });

  it("prints no secret", async () => {
    // Each another one: what is masked as a key's value must not be what hides it elsewhere.
    let made = 0;
    const secret = () => `${PLANTED}-${made++}`;
    const names = [
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_AUTH_TOKEN",
      "CLAUDE_CODE_OAUTH_TOKEN",
      "ANTHROPIC_CUSTOM_HEADERS",
      "AWS_SECRET_ACCESS_KEY",
      "AWS_BEARER_TOKEN_BEDROCK",
      "ANTHROPIC_FOUNDRY_API_KEY",
      "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE",
      "HAWSER_WATCHDOG",
      "CLAUDECODE",
      "http_proxy",
      "ALL_PROXY",
    ];
    const extra = Object.fromEntries([
      ...names.map((name) => [name, secret()]),
      ["HTTPS_PROXY", `http://${secret()}:${secret()}@proxy.example:3128/${secret()}`],
      ["HTTP_PROXY", `http://${secret()}@proxy.example:3128`],
      ["ANTHROPIC_BASE_URL", `https://${secret()}@models.example/${secret()}?key=${secret()}`],
      ["NODE_OPTIONS", "--no-warnings"],
    ]);
    const world = await place({ extra });
    writeFileSync(join(world.configDir, "settings.json"), `{ "env": { "KEY": ${secret()} } }`);
    writeFileSync(join(world.configDir, ".claude.json"), `{ "primaryApiKey": "${secret()}" `);
    writeFileSync(join(world.configDir, ".credentials.json"), secret());
    for (const args of [cli, [...cli, "--json"]]) {
      const { text, stderr } = await piped(world, ...args);
      expect(stderr).toBe("");
      expect(text).toContain("proxy.example:3128");
      expect(text).toContain("https://***@models.example");
      expect(text).not.toContain(PLANTED);
    }
  });
});

describe("hawser doctor on the environment", () => {
  const cli = ["--cli", NEWEST_CLI];

  it("warns about a nested session and about root", async () => {
    const { code, text } = await seen(await place({ extra: { CLAUDECODE: "" } }), cli);
    expect(text).toMatch(/! nested +Running inside a Claude Code session/);
    if (process.getuid?.() === 0) expect(text).toMatch(/! root +Running as root/);
    expect(code).toBe(0);
  });

  it("reports a config folder that is a file", async () => {
    const file = join(folder(), "config");
    writeFileSync(file, "");
    const world = await place({ extra: { CLAUDE_CONFIG_DIR: file } });
    const { code, text } = await seen(world, cli);
    expect(text).toMatch(
      new RegExp(`✗ config-folder +${file} is not a folder, so sessions and logins cannot be kept`),
    );
    expect(code).toBe(66);
    const below = await place({ extra: { CLAUDE_CONFIG_DIR: join(file, "below") } });
    expect((await seen(below, cli)).text).toContain(`cannot be created: ${file} is not a folder`);
  });

  it("reports a missing working directory", async () => {
    const { exitCode, findings } = await report(await place(), "--cwd", "/nowhere/work");
    expect(findings).toMatchObject([{ id: "cwd", code: "cwd_not_found" }]);
    expect(exitCode).toBe(66);
  });

  it("reports a missing folder for temporary files", async () => {
    const { code, text } = await seen(await place({ extra: { TMPDIR: "/nowhere/tmp" } }), cli);
    expect(text).toMatch(/✗ temporary-folder +\/nowhere\/tmp does not exist/);
    expect(code).toBe(ERROR_CODES.spawn_failed.exitCode);
  });

  it("reports settings that are not valid JSON, with line and column", async () => {
    const world = await place();
    mkdirSync(join(world.cwd, ".claude"));
    const path = join(world.cwd, ".claude", "settings.json");
    writeFileSync(path, '{\n  "permissions": { "deny": ["Read(./.env)"], }\n}\n');
    const { code, text } = await seen(world, cli);
    expect(text).toContain(
      `${path} is not valid JSON (line 2, column 46): the CLI silently ignores all`,
    );
    expect(code).toBe(64);
  });

  it("finds a state file that keeps the CLI from starting only with --live, and does not open it", async () => {
    const world = await place();
    writeFileSync(join(world.configDir, ".claude.json"), "{");
    const { code, text } = await seen(world, cli);
    expect(text).not.toContain("state-file");
    expect(code).toBe(0);
    const live = await seen(world, [...cli, "--live"]);
    expect(live.text).toMatch(/✗ live .*\.claude\.json/);
    expect(live.code).toBe(ERROR_CODES.process_exited.exitCode);
  });

  it("reports proxies, certificates, the base URL, trace and watchdog", async () => {
    const extra = {
      NO_PROXY: "intranet.example",
      no_proxy: undefined,
      NODE_EXTRA_CA_CERTS: "/nowhere/ca.pem",
      NODE_TLS_REJECT_UNAUTHORIZED: "0",
      HAWSER_TRACE: "/tmp/trace.log",
      HAWSER_WATCHDOG: "off",
    };
    const { findings } = await report(await place({ extra }), ...cli);
    const told = findings.map(({ id, level, message }) => `${level} ${id}: ${message}`).join("\n");
    expect(told).toContain("note proxy: Calls go through http://127.0.0.1:9");
    expect(told).toContain("warning no-proxy: NO_PROXY lacks localhost and 127.0.0.1");
    expect(told).toContain("warning base-url: Requests go to http://127.0.0.1:9");
    expect(told).toContain(
      "warning certificates: NODE_EXTRA_CA_CERTS names a file that cannot be read",
    );
    expect(told).toContain("warning certificates: TLS certificates are not checked");
    expect(told).toContain("note trace: Every message is written to /tmp/trace.log");
    expect(told).toContain("warning watchdog: HAWSER_WATCHDOG=off");
  });
});

it.skipIf(process.platform === "win32")(
  "hawser doctor prints the stderr of a CLI that does not print its version",
  async () => {
    const cli = program(join(folder(), "claude"), "#!/bin/sh\necho boom >&2\nexit 3\n");
    const { code, text } = await seen(await place(), ["--cli", cli]);
    expect(text).toContain(`${cli} failed when asked for its version: exit code 3, boom.`);
    expect(text).not.toContain("hawser doctor`");
    expect(code).toBe(126);
  },
);

describe("hawser doctor --live", () => {
  it("reports an answer, or the error of the call", async () => {
    const model = await SimulatedModel.start({ replies: ["pong"] });
    onTestFinished(() => model.close());
    const world = await place({ baseUrl: model.url });
    const well = await seen(world, ["--cli", NEWEST_CLI, "--live"]);
    expect(well.text).toMatch(/✓ live +the model answered \(/);
    expect(well.code).toBe(0);

    // Nothing is wrong that can be seen from here.
    const { ANTHROPIC_API_KEY: _, ...env } = world.env;
    writeFileSync(join(world.configDir, ".credentials.json"), "{}");
    const badly = await seen({ ...world, env }, ["--cli", NEWEST_CLI, "--live"]);
    expect(badly.text).toMatch(
      /✗ live +The model did not answer: Not logged in\n +Run `claude` and log in/,
    );
    expect(badly.text).not.toMatch(/\/login|hawser doctor`/);
    expect(badly.code).toBe(77);
  });

  it("names the network, the proxy and ANTHROPIC_BASE_URL if the model cannot be reached", async () => {
    const { text } = await seen(await place(), ["--cli", NEWEST_CLI, "--live"]);
    expect(text).toMatch(/✗ live .*\n +Check the network, the proxy and ANTHROPIC_BASE_URL/);
    expect(text).not.toContain("apiStatus");
  });

  it("does not create the folder for temporary files that it reports as missing", async () => {
    const missing = join(folder(), "tmp");
    const world = await place({ extra: { TMPDIR: missing } });
    const { code, text } = await seen(world, ["--cli", NEWEST_CLI, "--live"]);
    expect(text).toMatch(/· live +No call was made: the temporary folder cannot be used/);
    expect(code).toBe(ERROR_CODES.spawn_failed.exitCode);
    expect(existsSync(missing)).toBe(false);
  });

  it("makes no call without a CLI", async () => {
    const { findings } = await report(await place(), "--live", "--cli", "/nowhere/claude");
    expect(findings.at(-1)).toMatchObject({ id: "live", level: "note" });
  });
});

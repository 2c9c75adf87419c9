import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isHawserError } from "../../src/errors/index.js";
import {
  buildInvocation,
  OPTION_TABLE,
  type OptionName,
  type Options,
  parseVersion,
  type Version,
} from "../../src/options/index.js";
import { CLIS } from "../support/cli.js";
import { batchesOf } from "./batches.js";
import { CASES } from "./cases.js";
import { HOST } from "./facts.js";

interface Ended {
  readonly code: number | null;
  readonly answer: unknown;
  readonly stderr: string;
}

let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "hawser-flags-"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Starts the CLI with these options, sends initialize, and ends its input. */
async function start(options: Options, path: string, version: Version): Promise<Ended> {
  const cwd = await mkdtemp(join(home, "run-"));
  const privateDir = join(cwd, "private");
  const { platform, execPath } = process;
  const host = { env: isolated(cwd), platform, execPath, privateDir };
  const invocation = buildInvocation(options, { path, version }, host);
  await mkdir(privateDir);
  for (const { path: file, contents } of invocation.files) await writeFile(file, contents);
  const request = { type: "control_request", request_id: "r1", request: invocation.initialize };
  return run(path, invocation.argv, { cwd, env: invocation.env }, `${JSON.stringify(request)}\n`);
}

function isolated(place: string): Record<string, string> {
  return {
    HOME: place,
    CLAUDE_CONFIG_DIR: join(place, ".claude"),
    ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
    ANTHROPIC_API_KEY: "sk-ant-dummy-000000",
    PATH: process.env["PATH"] ?? "",
    LANG: "C.UTF-8",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    // The tests may run as root, and bypass is one of the modes to be tried.
    IS_SANDBOX: "1",
  };
}

function run(
  file: string,
  argv: readonly string[],
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  input: string,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, argv, place);
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.stdin.on("error", () => {}); // It may end before it has read its input.
    child.stdin.end(input);
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, answer: answerIn(stdout), stderr }));
  });
}

function answerIn(stdout: string): unknown {
  const lines = stdout.split("\n").filter((line) => line.includes('"control_response"'));
  const [answer] = lines.map((line) => JSON.parse(line));
  return answer?.response?.subtype;
}

/** Options that the CLI knows, and that ask for a session which is not there. */
const OF_A_SESSION: readonly OptionName[] = ["resume", "resumeSessionAt", "resumeDropsTurn"];

/** Tried in tests of their own. */
const APART: readonly OptionName[] = [...OF_A_SESSION, "sandbox", "extraArgs"];
const NO_FILE: readonly unknown[] = ["/etc/settings.json", "/etc/mcp.json"];

const cases = Object.entries(CASES).flatMap(([key, list]) => {
  const name = key as OptionName;
  const { ways } = OPTION_TABLE[name];
  const heard = ways.includes("argv") || ways.includes("initialize") || ways.includes("file");
  return heard ? list.map(({ options, adds }) => ({ name, options, adds })) : [];
});

const startable = cases.filter(
  ({ name, options: { settings, mcpServers } }) =>
    !APART.includes(name) && !NO_FILE.includes(settings) && !NO_FILE.includes(mcpServers),
);

function isRefused(options: Options, path: string, version: Version): boolean {
  try {
    buildInvocation(options, { path, version }, HOST);
    return false;
  } catch (error) {
    if (isHawserError(error, "unsupported_by_cli")) return true;
    throw error;
  }
}

/** What this library does not send to the older one, by the name of its case. */
const NEWER_THAN: Readonly<Record<string, readonly OptionName[]>> = {
  "2.1.325": [],
  "2.1.197": [
    "systemPrompt",
    "systemPrompt",
    "permissionPrompts",
    "hooks",
    "pluginDelivery",
    "perTaskStopAffordance",
    "resumeDropsTurn",
    "managedSettings",
    "projectConfigRoot",
  ],
};

describe.each(CLIS)("the real CLI $name", ({ name, path }) => {
  const version = parseVersion(name) ?? [0, 0, 0];
  const refused = cases.filter(({ options }) => isRefused(options, path, version));
  const known = startable.filter((each) => !refused.includes(each));
  const batches = batchesOf(known, version).map(({ names, options }) => [names, options] as const);

  it("is sent everything but what it is too old for", () => {
    expect(refused.map((each) => each.name)).toEqual(NEWER_THAN[name]);
  });

  it.each(batches)("accepts %s", async (_, options) => {
    const { code, answer, stderr } = await start(options, path, version);
    const complaints = stderr.match(/^error.*|unknown option.*/gim);
    expect({ code, answer, complaints }).toEqual({ code: 0, answer: "success", complaints: null });
  });

  const flags = refused.filter(({ adds }) => adds.flags !== undefined);
  it.skipIf(flags.length === 0)("does not know the flags that it is not sent", async () => {
    for (const { options, name: option } of flags) {
      const { code, stderr } = await start(options, path, [2, 1, 325]);
      const expected = { option, code: 1, stderr: expect.stringContaining("unknown option") };
      expect({ option, code, stderr }).toEqual(expected);
    }
  });

  const ofSession = cases.filter((each) => OF_A_SESSION.includes(each.name));
  it.each(ofSession.filter((each) => !refused.includes(each)))(
    "knows $name, and says that there is no such session",
    async ({ options }) => {
      const { code, stderr } = await start(options, path, version);
      expect(code).toBe(1);
      expect(stderr).toMatch(/No conversation found|does not match any session/);
    },
  );

  it("takes files by path, and says which one is missing", async () => {
    const settings = await start({ settings: "/etc/settings.json" }, path, version);
    expect(settings.stderr).toMatch(/Settings file not found: \/etc\/settings\.json/);
    const servers = await start({ mcpServers: "/etc/mcp.json" }, path, version);
    expect(servers.stderr).toMatch(/MCP config file not found: \/etc\/mcp\.json/);
  });

  it("sandboxes, or ends where it cannot", async () => {
    const { code, answer, stderr } = await start({ sandbox: { enabled: true } }, path, version);
    if (code === 0) expect(answer).toBe("success");
    else expect(stderr).toMatch(/sandbox/i);
  });

  it("accepts extra arguments of both forms", async () => {
    const extraArgs = { "replay-user-messages": null, name: "a name" };
    const { code, answer } = await start({ extraArgs }, path, version);
    expect({ code, answer }).toEqual({ code: 0, answer: "success" });
  });

  it("ends at an unknown flag", async () => {
    const { code, stderr } = await start({ extraArgs: { nonsense: null } }, path, version);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "error: unknown option '--nonsense'\n" });
  });
});

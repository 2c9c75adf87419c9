import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { nativeCli } from "../../../../tools/native-cli.js";
import { stillAlive, treeOf, until } from "../../../hawser/test/support/proc.js";

/** The command as it is built; it loads the built gateway. */
const HAWSER = fileURLToPath(new URL("../../../hawser/dist/bin/main.js", import.meta.url));

class Command {
  readonly child: ChildProcess;
  stdout = "";
  stderr = "";
  readonly exit: Promise<number | null>;

  constructor(cwd: string, args: readonly string[]) {
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: cwd,
      TMPDIR: join(cwd, "tmp"),
      HAWSER_CLI: nativeCli("@anthropic-ai/claude-code"),
    };
    this.child = spawn(process.execPath, [HAWSER, "serve", ...args], { cwd, env });
    this.child.stdout?.on("data", (piece) => {
      this.stdout += piece;
    });
    this.child.stderr?.on("data", (piece) => {
      this.stderr += piece;
    });
    this.exit = once(this.child, "close").then(([code]) => code as number | null);
    onTestFinished(async () => {
      if (this.child.exitCode === null && this.child.signalCode === null) {
        this.child.kill("SIGKILL");
        await this.exit;
      }
    });
  }

  async url(): Promise<string> {
    const found = await until(() => {
      if (this.child.exitCode !== null) throw new Error(this.stderr);
      return /listens on (\S+)/.exec(this.stderr)?.[1];
    });
    return found;
  }

  says(text: string): Promise<boolean> {
    return until(() => this.stderr.includes(text));
  }
}

function folder(files: Readonly<Record<string, string>> = {}): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "hawser-serve-")));
  // What was killed may still write for a moment.
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 20 }));
  mkdirSync(join(path, "tmp"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

function ask(url: string, content: string, more: object = {}, key = "none"): Promise<Response> {
  const messages = [{ role: "user", content }];
  return fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify({ model: "sonnet", max_tokens: 100, messages, ...more }),
  });
}

const OFFLINE = ["--offline", "--port", "0"];

describe("hawser serve", () => {
  it("answers on the offline model, drains a running stream after SIGTERM, and exits with 0", async () => {
    const server = new Command(folder(), OFFLINE);
    const url = await server.url();
    const whole = await ask(url, "hello");
    expect(await whole.json()).toMatchObject({ role: "assistant", stop_reason: "end_turn" });
    const cli = treeOf(server.child.pid ?? 0).slice(1);
    expect(cli.length).toBeGreaterThan(0);

    const stream = await ask(url, "count to 30", { stream: true });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader?.read())?.value ?? "";
    server.child.kill("SIGTERM");
    await server.says("The server ends as soon as");
    await expect(fetch(`${url}/ready`)).rejects.toThrow();
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      text += next.value;
    }
    expect(text).toContain("event: message_stop");
    expect(await server.exit).toBe(0);
    await until(() => stillAlive(cli).length === 0);
    const lines = server.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ status }) => status)).toEqual([200, 200]);
  });

  it("closes at once after a second signal, and the stream does not look complete", async () => {
    const server = new Command(folder(), OFFLINE);
    const url = await server.url();
    const stream = await ask(url, "count to 30", { stream: true });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader?.read())?.value ?? "";
    const cli = treeOf(server.child.pid ?? 0).slice(1);
    server.child.kill("SIGTERM");
    await server.says("A second signal ends it now");
    server.child.kill("SIGTERM");
    try {
      for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
        text += next.value;
      }
    } catch {
      // The connection was cut.
    }
    expect(text).not.toContain("message_stop");
    expect(await server.exit).toBe(143);
    await until(() => stillAlive(cli).length === 0);
  });

  it("leaves no process of the CLI behind after SIGKILL", async () => {
    const server = new Command(folder(), OFFLINE);
    const url = await server.url();
    expect((await ask(url, "hello")).status).toBe(200);
    const tree = treeOf(server.child.pid ?? 0);
    expect(tree.length).toBeGreaterThan(1);
    server.child.kill("SIGKILL");
    await server.exit;
    await until(() => stillAlive(tree).length === 0);
  });

  it("is not kept from ending by an idle connection", async () => {
    const server = new Command(folder(), OFFLINE);
    const url = await server.url();
    const health = await fetch(`${url}/health`, { headers: { connection: "keep-alive" } });
    await health.text();
    server.child.kill("SIGINT");
    expect(await server.exit).toBe(0);
  });

  it("reads keys and configuration again after SIGHUP, and keeps the old one if the new one is bad", async () => {
    const config = (limit: number) =>
      `export default { bodyLimit: ${limit}, models: { m: "haiku" } };`;
    const cwd = folder({ "hawser.config.mjs": config(50_000) });
    const server = new Command(cwd, OFFLINE);
    const url = await server.url();
    const large = () => ask(url, "x".repeat(2000));
    expect((await ask(url, "hello")).status).toBe(200);

    writeFileSync(join(cwd, "hawser.config.mjs"), config(1000));
    const running = await ask(url, "count to 30", { stream: true });
    server.child.kill("SIGHUP");
    await server.says("The configuration was reloaded.");
    expect(await running.text()).toContain("event: message_stop");
    expect((await large()).status).toBe(413);

    writeFileSync(join(cwd, "hawser.config.mjs"), "export default { bodyLimits: 5 };");
    server.child.kill("SIGHUP");
    await server.says("did you mean bodyLimit?");
    expect(server.stderr).toContain("so the old one stays");
    expect((await large()).status).toBe(413);

    writeFileSync(join(cwd, "hawser.config.mjs"), config(50_000));
    const created = new Command(cwd, ["keys", "add", "alice"]);
    expect(await created.exit).toBe(0);
    const key = created.stdout.trim();
    expect(key).toMatch(/^hwk_[\w-]{43}$/);
    expect(readFileSync(join(cwd, "hawser.keys.json"), "utf8")).not.toContain(key);
    const before = server.stderr.length;
    server.child.kill("SIGHUP");
    await until(() => server.stderr.slice(before).includes("was reloaded"));
    expect((await ask(url, "hello")).status).toBe(401);
    expect((await ask(url, "hello", {}, key)).status).toBe(200);
    expect(server.stderr + server.stdout).not.toContain(key);
  });
});

describe("hawser serve keys", () => {
  it("lists and removes keys, as JSON too", async () => {
    const cwd = folder({ "hawser.config.json": '{ "tenants": { "alice": {} } }' });
    const run = async (...args: string[]) => {
      const command = new Command(cwd, ["keys", ...args]);
      return { code: await command.exit, stdout: command.stdout, stderr: command.stderr };
    };
    const wrong = await run("add", "alise");
    expect(wrong.code).toBe(64);
    expect(wrong.stderr).toContain("Did you mean alice?");
    const { id, key } = JSON.parse((await run("add", "alice", "--json")).stdout);
    const listed = await run("list");
    expect(listed.stdout).toContain(`${id}  alice`);
    expect(listed.stdout).not.toContain(key);
    expect((await run("remove", id)).stdout).toBe(`Removed ${id} of tenant alice.\n`);
    expect(JSON.parse((await run("list", "--json")).stdout).keys).toEqual([]);
  });
});

describe("hawser serve refuses to start", () => {
  it.each([
    ["beyond loopback without keys", ["--host", "0.0.0.0", "--offline"], {}, "without keys"],
    [
      "with two tenants on the login of the CLI",
      [],
      { tenants: { a: { keys: ["a".repeat(64)] }, b: { keys: ["b".repeat(64)] } } },
      "would use the login of the CLI",
    ],
    [
      "beyond loopback on the login of the CLI",
      ["--host", "0.0.0.0"],
      { tenants: { a: { keys: ["a".repeat(64)] } } },
      "would use the login of the CLI",
    ],
    [
      "with tenants that nothing tells apart",
      ["--offline"],
      { tenants: { a: {}, b: {} } },
      "have no keys",
    ],
    [
      "without the variable of a key",
      [],
      { tenants: { a: { apiKeyEnv: "NO_SUCH" } } },
      "NO_SUCH is not set",
    ],
  ])("%s", async (_, args, config, text) => {
    const cwd = folder({ "hawser.config.json": JSON.stringify(config) });
    const server = new Command(cwd, ["--port", "0", ...args]);
    expect(await server.exit).toBe(64);
    expect(server.stderr).toContain(text);
    expect(server.stdout).toBe("");
  });
});

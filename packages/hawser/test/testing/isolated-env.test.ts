import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isolatedEnv, SimulatedModel, toolUse } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { CliProcess, STREAM_JSON } from "./cli-process.helper.js";

const posix = process.platform !== "win32";

describe("isolatedEnv()", () => {
  beforeEach(() => {
    process.env["HAWSER_CANARY"] = "inherited";
  });
  afterEach(() => {
    delete process.env["HAWSER_CANARY"];
  });

  it.runIf(posix)("takes only PATH and LANG from this program", async () => {
    await using world = await isolatedEnv({ baseUrl: "http://127.0.0.1:1234" });
    const { PATH, LANG, ...rest } = world.env;
    expect([PATH, LANG]).toEqual([process.env["PATH"], process.env["LANG"]]);
    expect(rest).toEqual({
      HOME: world.home,
      TMPDIR: join(dirname(world.home), "tmp"),
      CLAUDE_CONFIG_DIR: world.configDir,
      ANTHROPIC_BASE_URL: "http://127.0.0.1:1234",
      ANTHROPIC_API_KEY: "dummy-api-key",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_AUTOUPDATER: "1",
      HTTP_PROXY: "http://127.0.0.1:9",
      HTTPS_PROXY: "http://127.0.0.1:9",
      NO_PROXY: "127.0.0.1,localhost,::1",
      http_proxy: "http://127.0.0.1:9",
      https_proxy: "http://127.0.0.1:9",
      no_proxy: "127.0.0.1,localhost,::1",
    });
    expect(readdirSync(world.cwd)).toEqual([]);
  });

  it("has a token instead of the key, or both, or neither, and the variables of `extra`", async () => {
    const credentials = async (options: Parameters<typeof isolatedEnv>[0]) => {
      await using world = await isolatedEnv(options);
      return [world.env["ANTHROPIC_API_KEY"], world.env["CLAUDE_CODE_OAUTH_TOKEN"]];
    };
    expect(await credentials({ oauthToken: "t" })).toEqual([undefined, "t"]);
    expect(await credentials({ oauthToken: "t", apiKey: "k" })).toEqual(["k", "t"]);
    expect(await credentials({ extra: { ANTHROPIC_API_KEY: undefined } })).toEqual([
      undefined,
      undefined,
    ]);
    await using world = await isolatedEnv({ extra: { DISABLE_TELEMETRY: "0", MORE: "yes" } });
    expect(world.env).toMatchObject({ DISABLE_TELEMETRY: "0", MORE: "yes" });
  });
});

describe("isolatedEnv() folder", () => {
  it("is new each time, and removed by dispose()", async () => {
    const [one, two] = [await isolatedEnv(), await isolatedEnv()];
    expect(new Set([one.home, two.home, one.cwd, two.cwd]).size).toBe(4);
    await one.dispose();
    await two[Symbol.asyncDispose]();
    await two.dispose();
    expect([one, two].some((world) => existsSync(dirname(world.home)))).toBe(false);
  });

  it("is removed even while a process creates files in it", async () => {
    const world = await isolatedEnv();
    const code = `
      const fs = require("node:fs");
      const folder = process.argv[1];
      const end = Date.now() + 700;
      for (let n = 0; Date.now() < end; n++) {
        try {
          fs.mkdirSync(folder + "/a/b", { recursive: true });
          fs.writeFileSync(folder + "/a/b/" + n, "x");
        } catch {}
        if (n === 10) process.stdout.write("writing");
      }`;
    const writer = spawn(process.execPath, ["-e", code, world.configDir], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(writer, "exit");
    await once(writer.stdout, "data");
    await world.dispose();
    await exited;
    await world.dispose();
    expect(existsSync(dirname(world.home))).toBe(false);
  });
});

describe.each(clisInTurn())("isolatedEnv() with the real CLI $name", ({ path }) => {
  it("allows only loopback connections, and keeps all files in its folders", async () => {
    await using proxy = await recordingProxy();
    await using model = await SimulatedModel.start({
      replies: [
        toolUse("WebFetch", { url: "https://pages.example/a", prompt: "what is it?" }),
        toolUse("Bash", { command: 'echo "$HOME $TMPDIR $PWD"', description: "where" }),
        "done",
      ],
    });
    await using world = await isolatedEnv({
      baseUrl: model.url,
      extra: { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, https_proxy: proxy.url },
    });
    const args = [...STREAM_JSON, "--allowedTools=WebFetch,Bash"];
    await using cli = new CliProcess(path, args, world);
    cli.send({ type: "control_request", request_id: "i", request: { subtype: "initialize" } });
    expect((await cli.turn("go")).at(-1)).toMatchObject({ result: "done", is_error: false });
    expect(await cli.end()).toEqual({ code: 0, signal: null });

    // Only the request of the model, and no request that the CLI makes on its own.
    expect(new Set(proxy.asked)).toEqual(new Set(["CONNECT pages.example:443"]));
    const [shell] = model.calls.at(-1)?.toolResults ?? [];
    expect(shell?.text).toBe(`${world.home} ${world.env["TMPDIR"]} ${world.cwd}`);
    model.assertDone();
  });
});

async function recordingProxy(): Promise<{
  url: string;
  asked: string[];
  [Symbol.asyncDispose](): Promise<void>;
}> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {
      // The client has left, and its request is recorded.
    });
    socket.once("data", (data) => {
      asked.push(data.toString("latin1").split(" ", 2).join(" "));
      socket.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

import { describe, expect, it } from "vitest";
import { query } from "../../src/query/index.js";
import { openSession } from "../../src/session/index.js";
import { text } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { open } from "../support/open-session.js";
import { recordingLogger } from "../support/recording-logger.js";
import { world } from "../support/world.js";

describe("an option without effect", () => {
  it.each([
    ["autoResume", { autoResume: 1 }],
    ["schema", { schema: { type: "object" } }],
    ["retry.attempts", { retry: { attempts: 2 } }],
  ])("is refused by openSession() and query(): %s", async (path, options) => {
    const issues = (caller: string) => [{ path, message: `is not supported in ${caller}` }];
    await expect(openSession({ cliPath: "/none", ...options })).rejects.toMatchObject({
      code: "not_supported",
      hint: `Leave \`${path}\` out.`,
      issues: issues("openSession()"),
    });
    expect(() => query({ prompt: "x", options: { cliPath: "/none", ...options } })).toThrow(
      expect.objectContaining({ code: "not_supported", issues: issues("query()") }),
    );
  });

  it.each([
    ["tenant", { tenant: "a" }],
    ["priority", { priority: 1 }],
  ])("is refused by openSession() without a pool: %s", async (path, options) => {
    await expect(openSession({ cliPath: "/none", ...options })).rejects.toMatchObject({
      code: "invalid_options",
      message: `${path} needs a pool in openSession().`,
      hint: `Call pool.openSession(), pass a pool as \`pool\`, or leave ${path} out.`,
      issues: [{ path, message: "has no effect in openSession() without a pool" }],
    });
  });

  it("is refused as pool if it is not a pool", async () => {
    await expect(openSession({ cliPath: "/none", pool: {} })).rejects.toMatchObject({
      code: "invalid_options",
      issues: [{ path: "pool" }],
    });
  });

  it.each([
    ["pool", { pool: {} }],
    ["tenant", { tenant: "a" }],
    ["priority", { priority: 1 }],
    ["recover", { recover: true }],
    ["literalPrompt", { literalPrompt: true }],
    ["timeouts.totalMs", { timeouts: { totalMs: 5 } }],
  ])("is refused by query(): %s", (path, options) => {
    expect(() => query({ prompt: "x", options: { cliPath: "/none", ...options } })).toThrow(
      expect.objectContaining({
        code: "not_supported",
        issues: [{ path, message: "is not supported in query()" }],
      }),
    );
  });
});

describe.each(clisInTurn())("options on $name", ({ path }) => {
  it("without meaning are ignored by query(), as in the official SDK", async () => {
    const { options, env } = await world(path, [text("ok")]);
    const results: unknown[] = [];
    const lenient = {
      ...options,
      maxTurns: 0,
      forkSession: true,
      allowedTools: [""],
      env: { ...env, A_NUMBER: 5 as unknown as string },
      hooks: { NoSuchEvent: [{ hooks: [async () => ({})] }] } as object,
    };
    for await (const message of query({ prompt: "go", options: lenient })) {
      if (message.type === "result" && message.subtype === "success") results.push(message.result);
    }
    expect(results).toEqual(["ok"]);
  });

  it("with an MCP server that fails put it into the session info and the log", async () => {
    const { logger, entries } = recordingLogger();
    const { session } = await open(path, [text("ok")], {
      mcpServers: { broken: { command: "/no/such/server" } },
      logger,
    });
    await session.send("go").result;
    expect(session.info["mcp_servers"]).toMatchObject([{ name: "broken", status: "failed" }]);
    expect(entries.filter(({ level }) => level === "warn")).toEqual([
      {
        level: "warn",
        message: "MCP servers that do not work",
        fields: { servers: [expect.objectContaining({ name: "broken", status: "failed" })] },
      },
    ]);
  });
});

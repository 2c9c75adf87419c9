import { describe, expect, it, onTestFinished } from "vitest";
import * as root from "../../src/index.js";
import { fakeCli, type Step } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { until } from "../support/proc.js";
import { world } from "../support/world.js";
import { clisOf, collect, kinds, linesOf, messagesOf } from "./query.helper.js";

const { startup, AbortError } = root;

async function fake(...steps: Step[]) {
  const cli = await fakeCli({ steps });
  onTestFinished(() => cli.dispose());
  return cli;
}

describe.each(clisInTurn())("startup() on $name", ({ path }) => {
  it("runs the prompt of query() in the process that it has started, once", async () => {
    const { options, model } = await world(path, ["warm"]);
    const warm = await startup({ options });
    const [before] = clisOf(path);
    const q = warm.query("go");
    const { messages, error } = await collect(q, () => expect(clisOf(path)[0]).toEqual(before));
    expect([kinds(messages).at(-1), error]).toEqual(["result/success", undefined]);
    expect(model.calls.map(({ prompt }) => prompt)).toEqual(["go"]);
    expect(() => warm.query("again")).toThrow(
      expect.objectContaining({ code: "already_consumed" }),
    );
    expect(clisOf(path)).toEqual([]);
  });

  it("leaves no process at the end of an `await using` block", async () => {
    const { options } = await world(path, []);
    {
      await using _ = await startup({ options });
      expect(clisOf(path)).toHaveLength(1);
    }
    expect(clisOf(path)).toEqual([]);
  });
});

describe("startup()", () => {
  it("takes an iterable in query(), and sends no prompt before", async () => {
    const cli = await fake();
    const warm = await startup({ options: { cliPath: cli.path } });
    expect((await linesOf(cli)).map(({ type }) => type)).toEqual(["control_request"]);
    const { messages } = await collect(warm.query(messagesOf("one", "two")));
    expect(kinds(messages).filter((kind) => kind.startsWith("result"))).toHaveLength(2);
    warm.close();
  });

  it("makes query() throw closed after close()", async () => {
    const cli = await fake();
    const warm = await startup({ options: { cliPath: cli.path } });
    warm.close();
    expect(() => warm.query("go")).toThrow(expect.objectContaining({ code: "closed" }));
    await until(() => clisOf(cli.path).length === 0);
  });

  it("rejects with timeout and leaves no process when initialize is late", async () => {
    const cli = await fake({ on: "initialize", do: [] }, { on: "eof", times: "always", do: [] });
    const started = startup({ options: { cliPath: cli.path }, initializeTimeoutMs: 1_000 });
    await expect(started).rejects.toMatchObject({ code: "timeout", phase: "boot" });
    await until(() => clisOf(cli.path).length === 0);
  });

  it("rejects with AbortError and leaves no process when it is aborted", async () => {
    const cli = await fake({ on: "initialize", do: [] });
    const abortController = new AbortController();
    const started = startup({ options: { cliPath: cli.path, abortController, closeGraceMs: 50 } });
    started.catch(() => {});
    await until(() => clisOf(cli.path).length > 0);
    abortController.abort();
    await expect(started).rejects.toBeInstanceOf(AbortError);
    await until(() => clisOf(cli.path).length === 0);
  });

  it("rejects with process_exited and stderr when the CLI does not start", async () => {
    const cli = await fake({ on: "initialize", do: [{ stderr: "bad flag\n" }, { exit: 1 }] });
    await expect(startup({ options: { cliPath: cli.path } })).rejects.toMatchObject({
      code: "process_exited",
      message: "Claude Code process exited with code 1. stderr: bad flag",
    });
  });
});

/** What the official package exports at run time. */
const OFFICIAL = `
  query startup prewarm tool createSdkMcpServer listSessions getSessionInfo getSessionMessages
  listSubagents getSubagentMessages renameSession tagSession archiveSession unarchiveSession
  deleteSession forkSession importSessionToStore foldSessionSummary resolveSettings
  filterEscalatingDefaultMode matchDeniedModels AbortError InMemorySessionStore
  DirectConnectTransport DirectConnectError parseDirectConnectUrl CommandMatcher FileIndex
  HOOK_EVENTS EXIT_REASONS BUILTIN_TOOL_NAMES LEGACY_TOOL_NAME_ALIASES
  SYSTEM_PROMPT_DYNAMIC_BOUNDARY USAGE_LIMIT_ERROR_PREFIXES USAGE_WARNING_PREFIXES
  USAGE_TRANSITION_PREFIXES ORG_POLICY_LIMIT_PREFIXES`;

describe("the exports of the official SDK", () => {
  it("all exist", () => {
    const names = OFFICIAL.trim().split(/\s+/);
    expect(names).toHaveLength(37);
    expect(names.filter((name) => !(name in root))).toEqual([]);
    expect(root.HOOK_EVENTS).toHaveLength(33);
  });

  it("fail with not_supported where this package does not implement them", async () => {
    const refusal = { code: "not_supported" };
    await expect(root.prewarm()).rejects.toMatchObject(refusal);
    await expect(root.resolveSettings()).rejects.toMatchObject(refusal);
    await expect(root.matchDeniedModels([], [])).rejects.toMatchObject(refusal);
    const throws = (use: () => unknown) => expect(use).toThrow(expect.objectContaining(refusal));
    throws(() => new root.DirectConnectTransport({}));
    throws(() => root.parseDirectConnectUrl("cc://x"));
    throws(() => new root.CommandMatcher([]));
    throws(() => new root.FileIndex());
  });
});

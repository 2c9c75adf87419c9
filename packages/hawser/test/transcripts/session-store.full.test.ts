import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { HawserError } from "../../src/base/index.js";
import type { SessionKey, SessionStore } from "../../src/options/index.js";
import { text, toolUse } from "../../src/testing/index.js";
import {
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  InMemorySessionStore,
  importSessionToStore,
  listSubagents,
  projectKeyOf,
} from "../../src/transcripts/index.js";
import { materializeSession } from "../../src/transcripts/store/materialize-session.js";
import { StoreMirror } from "../../src/transcripts/store/store-mirror.js";
import { SubprocessTransport } from "../../src/transport/index.js";
import { clisInTurn } from "../support/cli.js";
import { type World, world } from "../support/world.js";
import { sessionId } from "./transcript-files.helper.js";

const key: SessionKey = { projectKey: "-work", sessionId: sessionId(1) };
const path = `/config/projects/-work/${sessionId(1)}.jsonl`;

function mirrorOf(
  store: SessionStore,
  flush: "batched" | "eager" = "batched",
  onFailure: "report" | "end" = "report",
) {
  const errors: { code: string; message: string; key: SessionKey | undefined }[] = [];
  const mirror = new StoreMirror(store, {
    flush,
    onFailure,
    projectsDir: "/config/projects",
    onError: ({ code, message }, of) => errors.push({ code, message, key: of }),
  });
  return { mirror, errors };
}

function recordingStore(append: SessionStore["append"] = async () => {}) {
  const calls: { key: SessionKey; types: string[] }[] = [];
  const store: SessionStore = {
    append: async (of, entries) => {
      calls.push({ key: of, types: entries.map(({ type }) => type) });
      await append(of, entries);
    },
    load: async () => null,
  };
  return { store, calls };
}

describe("StoreMirror", () => {
  it("appends the entries of each transcript in one call, in order of arrival", async () => {
    const { store, calls } = recordingStore();
    const { mirror } = mirrorOf(store);
    mirror.add(path, [{ type: "a" }]);
    mirror.add(path.replace(".jsonl", "/subagents/agent-x.jsonl"), [{ type: "s" }]);
    mirror.add(path, [{ type: "b" }, { type: "c" }]);
    expect(calls).toEqual([]);
    await mirror.flush();
    expect(calls).toEqual([
      { key, types: ["a", "b", "c"] },
      { key: { ...key, subpath: "subagents/agent-x" }, types: ["s"] },
    ]);
  });

  it("appends each line by itself in eager mode", async () => {
    const { store, calls } = recordingStore();
    const { mirror } = mirrorOf(store, "eager");
    mirror.add(path, [{ type: "a" }]);
    mirror.add(path, [{ type: "b" }]);
    await mirror.close();
    expect(calls).toEqual([
      { key, types: ["a"] },
      { key, types: ["b"] },
    ]);
  });

  it("retries a refused batch, and continues", async () => {
    let failures = 2;
    const { store, calls } = recordingStore(async () => {
      if (failures-- > 0) throw new Error("not now");
    });
    const { mirror, errors } = mirrorOf(store);
    mirror.add(path, [{ type: "a" }]);
    await mirror.flush();
    expect({ calls: calls.length, errors }).toEqual({ calls: 3, errors: [] });
  });

  it("reports and drops a batch that the store never accepts", async () => {
    const { store, calls } = recordingStore(async () => {
      throw new Error("disk full");
    });
    const { mirror, errors } = mirrorOf(store);
    mirror.add(path, [{ type: "a" }]);
    await mirror.close();
    expect(calls.length).toBe(3);
    expect(errors).toEqual([{ code: "storage_failed", message: "disk full", key }]);
  });

  it("goes on after a refused batch with onFailure report, and stops with end", async () => {
    const refusesA: SessionStore["append"] = async (_, [entry]) => {
      if (entry?.type === "a") throw new HawserError("lease_lost");
    };
    const appended = async (onFailure: "report" | "end") => {
      const { store, calls } = recordingStore(refusesA);
      const { mirror, errors } = mirrorOf(store, "eager", onFailure);
      for (const type of ["a", "b", "c"]) mirror.add(path, [{ type }]);
      await mirror.close();
      expect(errors).toEqual([{ code: "lease_lost", message: expect.any(String), key }]);
      return calls.flatMap(({ types }) => types);
    };
    expect(await appended("report")).toEqual(["a", "b", "c"]);
    expect(await appended("end")).toEqual(["a"]);
  });

  it.each([
    ["once, if it is not retryable", new HawserError("lease_lost"), 1],
    ["three times, if it is retryable", new HawserError("database_unavailable"), 3],
    ["once, if it is a timeout", new HawserError("timeout"), 1],
  ])("tries a batch that fails with a HawserError %s", async (_, error, attempts) => {
    const { store, calls } = recordingStore(async () => {
      throw error;
    });
    const { mirror, errors } = mirrorOf(store);
    mirror.add(path, [{ type: "a" }]);
    await mirror.flush();
    expect(calls.length).toBe(attempts);
    expect(errors).toMatchObject([{ code: error.code }]);
  });

  it("reports a path that is no transcript, and entries after close", async () => {
    const { mirror, errors } = mirrorOf(recordingStore().store);
    mirror.add("/elsewhere/x.jsonl", [{ type: "a" }]);
    await mirror.close();
    mirror.add(path, [{ type: "a" }]);
    expect(errors.map(({ code, key: of }) => ({ code, of }))).toEqual([
      { code: "protocol_error", of: undefined },
      { code: "protocol_error", of: key },
    ]);
  });
});

describe("materialize()", () => {
  it("returns undefined for a session that the store does not have", async () => {
    const store = new InMemorySessionStore();
    const options = { cwd: "/work", env: {} };
    expect(
      await materializeSession(store, { ...options, sessionId: sessionId(1) }),
    ).toBeUndefined();
    expect(await materializeSession(store, { ...options, sessionId: "a title" })).toBeUndefined();
    expect(await materializeSession(store, options)).toBeUndefined();
  });

  it("rejects a load that never settles", async () => {
    const store: SessionStore = { append: async () => {}, load: () => new Promise(() => {}) };
    const options = { cwd: "/work", env: {}, sessionId: sessionId(1), loadTimeoutMs: 20 };
    await expect(materializeSession(store, options)).rejects.toMatchObject({ code: "timeout" });
  });

  it("needs listSessions() to find the latest session", async () => {
    const store: SessionStore = { append: async () => {}, load: async () => null };
    const latest = materializeSession(store, { cwd: "/work", env: {} });
    await expect(latest).rejects.toMatchObject({ code: "invalid_options" });
  });

  it("links to the end of a chain of links, because the CLI replaces the target of a link", async () => {
    const store = new InMemorySessionStore();
    await store.append(key, [{ type: "user" }]);
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "hawser-links-")));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "dotfile.json"), "{}");
    symlinkSync("dotfile.json", join(folder, "settings.json"));
    const env = { CLAUDE_CONFIG_DIR: folder };
    const made = await materializeSession(store, { ...key, cwd: "/work", env });
    expect(readlinkSync(join(made?.configDir ?? "", "settings.json"))).toBe(
      join(folder, "dotfile.json"),
    );
    await made?.remove();
    expect(readdirSync(folder).sort()).toEqual(["dotfile.json", "settings.json"]);
  });

  it("writes only into its folder, and removes the folder", async () => {
    const store = new InMemorySessionStore();
    await store.append(key, [{ type: "user" }]);
    const evil = ["../../../evil", "/abs", ".", "a\\b", "c:x", "subagents/../../x"];
    for (const subpath of [...evil, "subagents/agent-x"]) {
      await store.append({ ...key, subpath }, [{ type: "agent_metadata", a: 1 }, { type: "user" }]);
    }
    const made = await materializeSession(store, {
      ...key,
      cwd: "/work",
      env: { HOME: "/no/where" },
    });
    const configDir = made?.configDir ?? "";
    const files = readdirSync(configDir, { recursive: true, encoding: "utf8" });
    const below = `projects/-work/${sessionId(1)}`;
    expect(files.filter((name) => statSync(join(configDir, name)).isFile()).sort()).toEqual([
      `${below}.jsonl`,
      `${below}/subagents/agent-x.jsonl`,
      `${below}/subagents/agent-x.meta.json`,
    ]);
    const metadata = readFileSync(join(configDir, `${below}/subagents/agent-x.meta.json`), "utf8");
    expect(metadata).toBe('{"a":1}');
    expect(statSync(configDir).mode & 0o777).toBe(0o700);
    await made?.remove();
    expect(existsSync(configDir)).toBe(false);
  });
});

describe.each(clisInTurn())("sessionStore on the real CLI $name", ({ path: cliPath }) => {
  it("mirrors a session, and resumes it from the store", async () => {
    const place = await world(cliPath, ({ prompt, toolResults }) => {
      if (toolResults.length > 0) return "Done.";
      if (prompt.includes("SUBTASK")) return "The sub-agent's answer.";
      if (!prompt.includes("use an agent")) return "A plain answer.";
      const input = { description: "sub", prompt: "SUBTASK", subagent_type: "general-purpose" };
      return [text("I delegate."), toolUse("Agent", input)];
    });
    const store = new InMemorySessionStore();
    const id = sessionId(7);
    await converse(place, store, "use an agent", { sessionId: id });

    const dir = place.cwd;
    const local = { configDir: place.configDir, dir };
    const stored = { sessionStore: store, dir };
    expect(await getSessionMessages(id, stored)).toEqual(await getSessionMessages(id, local));
    const agents = await listSubagents(id, local);
    expect(agents.length).toBe(1);
    expect(await listSubagents(id, stored)).toEqual(agents);
    expect(await getSubagentMessages(id, agents[0] ?? "", stored)).toEqual(
      await getSubagentMessages(id, agents[0] ?? "", local),
    );
    const copy = new InMemorySessionStore();
    await importSessionToStore(id, copy, local);
    expect(await getSessionMessages(id, { sessionStore: copy, dir })).toEqual(
      await getSessionMessages(id, local),
    );
    expect(await getSessionInfo(id, local)).toMatchObject({ sessionId: id, cwd: dir });

    const { env } = place.options;
    const made = await materializeSession(store, { sessionId: id, cwd: dir, env: env ?? {} });
    if (made === undefined) throw new Error("The store has no session");
    expect(made.secureStorageDir).toBe(place.configDir);
    await converse(place, store, "And now?", { resume: id }, made.configDir);
    await made.remove();
    const messages = await getSessionMessages(id, stored);
    expect(JSON.stringify(messages.at(-2)?.message)).toContain("And now?");
    expect(JSON.stringify(place.model.calls.at(-1)?.body)).toContain("use an agent");
    expect(await store.listSessions(await projectKeyOf(dir))).toEqual([
      { sessionId: id, mtime: expect.any(Number) },
    ]);
  });
});

/** Sends one prompt over a line of its own, and mirrors the transcript to the store. */
async function converse(
  place: World,
  store: SessionStore,
  prompt: string,
  which: { sessionId?: string; resume?: string },
  configDir = place.configDir,
): Promise<void> {
  const errors: unknown[] = [];
  const mirror = new StoreMirror(store, {
    flush: "batched",
    onFailure: "report",
    projectsDir: join(configDir, "projects"),
    onError: (error) => errors.push(error),
  });
  const env = { ...place.options.env, CLAUDE_CONFIG_DIR: configDir };
  const line = new SubprocessTransport({
    ...place.options,
    ...which,
    env,
    sessionStore: store,
    allowedTools: ["Agent", "Task"],
  });
  await line.connect();
  await line.send({
    type: "control_request",
    request_id: "1",
    request: line.invocation.initialize,
  } as never);
  await line.send({
    type: "user",
    message: { role: "user", content: prompt },
    parent_tool_use_id: null,
  } as never);
  for await (const frame of line.messages() as AsyncIterable<{ kind: string; message?: unknown }>) {
    const message = frame.message as { type?: string; filePath: string; entries: never };
    if (message?.type === "transcript_mirror") mirror.add(message.filePath, message.entries);
    if (message?.type !== "result") continue;
    await mirror.flush();
    await line.endInput();
  }
  await mirror.close();
  await line.close();
  expect(errors).toEqual([]);
}

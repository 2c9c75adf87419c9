import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  archiveSession,
  getSessionInfo,
  listSessions,
  renameSession,
  tagSession,
  unarchiveSession,
} from "../../src/transcripts/index.js";
import { emptyConfig, entry, sessionId, writeTranscript } from "./transcript-files.helper.js";

describe("listSessions()", () => {
  it("reads both ends of a transcript, and nothing between them", async () => {
    const configDir = await emptyConfig();
    const id = sessionId(1);
    const path = writeTranscript(configDir, id, [
      entry("user", 1, null),
      { type: "progress", data: "x".repeat(3_000_000) },
      { type: "custom-title", customTitle: "Knots", sessionId: id },
      { type: "tag", tag: "blue", sessionId: id },
    ]);
    const { size, mtime } = statSync(path);
    expect(await listSessions({ configDir })).toEqual([
      {
        sessionId: id,
        summary: "Knots",
        lastModified: mtime.getTime(),
        fileSize: size,
        customTitle: "Knots",
        firstPrompt: "user 1",
        gitBranch: "main",
        cwd: "/work",
        tag: "blue",
        createdAt: Date.UTC(2026, 0, 2) + 1,
      },
    ]);
  });

  it("skips broken lines, other files and files that are no session", async () => {
    const configDir = await emptyConfig();
    writeTranscript(configDir, sessionId(1), ["{half", "null", "5", "[]", entry("user", 1, null)]);
    writeTranscript(configDir, sessionId(2), [entry("user", 1, null, { isSidechain: true })]);
    writeTranscript(configDir, sessionId(3), []);
    writeTranscript(configDir, "agent-1", [entry("user", 1, null)]);
    mkdirSync(join(configDir, "projects", "-work", `${sessionId(4)}.jsonl`));
    writeFileSync(join(configDir, "projects", "a-file"), "");
    const sessions = await listSessions({ configDir });
    expect(sessions.map((each) => each.sessionId)).toEqual([sessionId(1)]);
  });

  it("returns pages", async () => {
    const configDir = await emptyConfig();
    for (const n of [1, 2, 3, 4])
      writeTranscript(configDir, sessionId(n), [entry("user", n, null)]);
    const all = await listSessions({ configDir });
    expect(all.length).toBe(4);
    expect(await listSessions({ configDir, limit: 2, offset: 1 })).toEqual(all.slice(1, 3));
    expect(await listSessions({ configDir, limit: 0, offset: 3 })).toEqual(all.slice(3));
  });

  it("returns an empty list when there are no sessions", async () => {
    expect(await listSessions({ configDir: "/no/where" })).toEqual([]);
    expect(await listSessions({ configDir: await emptyConfig(), dir: "/no/where" })).toEqual([]);
  });

  it("finds the sessions of other worktrees", async () => {
    const configDir = await emptyConfig();
    const repository = join(await emptyConfig(), "repository");
    const tree = join(dirname(repository), "tree");
    const linked = join(repository, ".git", "worktrees", "tree");
    mkdirSync(linked, { recursive: true });
    mkdirSync(tree);
    writeFileSync(join(linked, "gitdir"), `${tree}/.git\n`);
    writeFileSync(join(linked, "commondir"), "../..\n");
    writeFileSync(join(tree, ".git"), `gitdir: ${linked}\n`);
    for (const [n, path] of [repository, tree].entries()) {
      const folder = join(configDir, "projects", path.replace(/[^a-zA-Z0-9]/g, "-"));
      mkdirSync(folder);
      const line = JSON.stringify(entry("user", n, null));
      writeFileSync(join(folder, `${sessionId(n)}.jsonl`), `${line}\n`);
    }
    const ids = async (dir: string, includeWorktrees?: boolean) =>
      (await listSessions({ configDir, dir, includeWorktrees }))
        .map((each) => each.sessionId)
        .sort();
    expect(await ids(repository)).toEqual([sessionId(0), sessionId(1)]);
    expect(await ids(tree)).toEqual([sessionId(0), sessionId(1)]);
    expect(await ids(tree, false)).toEqual([sessionId(1)]);
  });
});

describe("titles, tags and the archived mark", () => {
  it("are returned by getSessionInfo()", async () => {
    const configDir = await emptyConfig();
    const id = sessionId(1);
    writeTranscript(configDir, id, [entry("user", 1, null)]);
    await renameSession(id, " A title ", { configDir });
    await tagSession(id, "red", { configDir });
    await archiveSession(id, { configDir });
    expect(await getSessionInfo(id, { configDir })).toEqual({
      sessionId: id,
      summary: "A title",
      lastModified: expect.any(Number),
      fileSize: expect.any(Number),
      customTitle: "A title",
      firstPrompt: "user 1",
      gitBranch: "main",
      cwd: "/work",
      tag: "red",
      createdAt: Date.UTC(2026, 0, 2) + 1,
      archived: true,
    });
    await tagSession(id, null, { configDir });
    await unarchiveSession(id, { configDir });
    const { tag, archived } = (await getSessionInfo(id, { configDir })) ?? {};
    expect({ tag, archived }).toEqual({ tag: undefined, archived: false });
  });

  it("lose the archived mark by a later prompt", async () => {
    const configDir = await emptyConfig();
    const id = sessionId(1);
    writeTranscript(configDir, id, [entry("user", 1, null)]);
    await archiveSession(id, { configDir });
    const timestamp = new Date(Date.now() + 1000).toISOString();
    writeTranscript(configDir, id, [entry("user", 1, null), entry("user", 2, 1, { timestamp })]);
    expect((await getSessionInfo(id, { configDir }))?.archived).toBe(false);
  });
});

import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import * as transcripts from "../../src/transcripts/index.js";
import { BUILT_ROOT } from "../support/built.js";
import { emptyConfig, entry, sessionId, writeTranscript } from "./transcript-files.helper.js";

const id = sessionId(1);

describe("functions that change a session file", () => {
  it.each([
    ["renameSession", (given: string, o: object) => transcripts.renameSession(given, "x", o)],
    ["tagSession", (given: string, o: object) => transcripts.tagSession(given, "x", o)],
    ["deleteSession", (given: string, o: object) => transcripts.deleteSession(given, o)],
    ["forkSession", (given: string, o: object) => transcripts.forkSession(given, o)],
    ["archiveSession", (given: string, o: object) => transcripts.archiveSession(given, o)],
    ["unarchiveSession", (given: string, o: object) => transcripts.unarchiveSession(given, o)],
    [
      "importSessionToStore",
      (given: string, o: object) =>
        transcripts.importSessionToStore(given, new transcripts.InMemorySessionStore(), o),
    ],
  ])("%s refuses an invalid id, and reports an unknown session", async (_name, change) => {
    const configDir = await emptyConfig();
    for (const bad of ["../../etc/passwd", "x", "", `${id}/..`]) {
      await expect(change(bad, { configDir })).rejects.toMatchObject({ code: "invalid_options" });
    }
    const missing = change(id, { configDir });
    await expect(missing).rejects.toMatchObject({ code: "session_not_found", sessionId: id });
  });

  it("append one line, also after an unfinished line", async () => {
    const configDir = await emptyConfig();
    const path = writeTranscript(configDir, id, [entry("user", 1, null)]);
    appendFileSync(path, '{"type":"half');
    await transcripts.renameSession(id, "T", { configDir });
    expect(readFileSync(path, "utf8").split("\n").slice(1)).toEqual([
      '{"type":"half',
      JSON.stringify({ type: "custom-title", customTitle: "T", sessionId: id }),
      "",
    ]);
  });

  it
    .skipIf(process.platform === "win32")
    .each([
      'renameSession(id, "t".repeat(2000), { configDir })',
      'tagSession(id, "t".repeat(2000), { configDir })',
    ])("leave no unfinished line when the file cannot grow: %s", async (call) => {
    const configDir = await emptyConfig();
    const path = writeTranscript(configDir, id, [entry("user", 1, null)]);
    // The system refuses to let a file of this program grow over 8 blocks, as on a disk that is full.
    const program = `
      import { appendFileSync, statSync, writeFileSync } from "node:fs";
      import * as H from ${JSON.stringify(BUILT_ROOT)};
      const [path, id, configDir] = ${JSON.stringify([path, id, configDir])};
      let limit;
      try { writeFileSync(path + ".probe", Buffer.alloc(1 << 20)); } catch { limit = statSync(path + ".probe").size; }
      appendFileSync(path, JSON.stringify({ pad: "x".repeat(limit - statSync(path).size - 111) }) + "\\n");
      const failed = await H.${call}.then(() => "no error", () => "refused");
      console.log(failed, statSync(path).size === limit);`;
    const node = [process.execPath, "--input-type=module", "-e", program];
    const shell = ["-c", 'ulimit -f 8; exec "$@"', "sh", ...node];
    expect(execFileSync("/bin/sh", shell, { encoding: "utf8" })).toBe("refused true\n");
    const next = JSON.stringify(entry("assistant", 2, 1));
    appendFileSync(path, `${next}\n`); // As an open CLI would.
    const lines = readFileSync(path, "utf8").split("\n");
    expect(lines.slice(2)).toEqual([expect.stringMatching(/^ +$/), next, ""]);
    const messages = await transcripts.getSessionMessages(id, { configDir });
    expect(messages.map(({ uuid }) => uuid)).toEqual(["u1", "u2"]);
  });

  it("lose no line when many calls append at the same time", async () => {
    const configDir = await emptyConfig();
    const path = writeTranscript(configDir, id, [entry("user", 1, null)]);
    const numbers = Array.from({ length: 50 }, (_each, n) => n);
    await Promise.all(numbers.map((n) => transcripts.tagSession(id, `tag ${n}`, { configDir })));
    const tags = readFileSync(path, "utf8").trimEnd().split("\n").slice(1);
    expect(tags.map((line) => JSON.parse(line).tag).sort()).toEqual(
      numbers.map((n) => `tag ${n}`).sort(),
    );
  });

  it("delete a session with its subagents", async () => {
    const configDir = await emptyConfig();
    const path = writeTranscript(configDir, id, [entry("user", 1, null)]);
    mkdirSync(join(dirname(path), id, "subagents"), { recursive: true });
    await transcripts.deleteSession(id, { configDir });
    expect(readdirSync(dirname(path))).toEqual([]);
  });
});

describe("forkSession()", () => {
  it("writes a file with new ids that only its owner may read", async () => {
    const configDir = await emptyConfig();
    const source = writeTranscript(configDir, id, [
      entry("user", 1, null),
      entry("assistant", 2, 1),
      entry("user", 3, 2),
    ]);
    const before = readFileSync(source, "utf8");
    const { sessionId: fork } = await transcripts.forkSession(id, {
      configDir,
      upToMessageId: "u2",
    });
    const path = join(dirname(source), `${fork}.jsonl`);
    const lines = readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const [first, second] = lines;
    expect(lines).toEqual([
      {
        ...entry("user", 1, null),
        uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        sessionId: fork,
        forkedFrom: { sessionId: id, messageUuid: "u1" },
      },
      {
        ...entry("assistant", 2, 1),
        uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        parentUuid: first.uuid,
        timestamp: expect.stringMatching(/Z$/),
        sessionId: fork,
        requestSessionId: "s",
        forkedFrom: { sessionId: id, messageUuid: "u2" },
      },
      {
        type: "custom-title",
        sessionId: fork,
        customTitle: "user 1 (fork)",
        uuid: expect.any(String),
        timestamp: second.timestamp,
      },
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(source, "utf8")).toBe(before);
    expect(readdirSync(dirname(source)).sort()).toEqual([`${fork}.jsonl`, `${id}.jsonl`].sort());
  });

  it("keeps the session whose request a reply answered, also in the fork of a fork", async () => {
    const configDir = await emptyConfig();
    const source = writeTranscript(configDir, id, [
      entry("user", 1, null),
      entry("assistant", 2, 1),
    ]);
    const first = await transcripts.forkSession(id, { configDir });
    const second = await transcripts.forkSession(first.sessionId, { configDir });
    const text = readFileSync(join(dirname(source), `${second.sessionId}.jsonl`), "utf8");
    const [user, assistant] = text.split("\n").map((line) => JSON.parse(line || "{}"));
    expect([user.requestSessionId, assistant.requestSessionId]).toEqual([undefined, "s"]);
  });

  it("refuses an unknown message, and leaves no file behind", async () => {
    const configDir = await emptyConfig();
    const source = writeTranscript(configDir, id, [entry("user", 1, null)]);
    const fork = transcripts.forkSession(id, { configDir, upToMessageId: "zz" });
    await expect(fork).rejects.toMatchObject({ code: "invalid_options" });
    expect(readdirSync(dirname(source))).toEqual([`${id}.jsonl`]);
    expect(existsSync(source)).toBe(true);
  });
});

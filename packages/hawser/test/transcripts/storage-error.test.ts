import { describe, expect, it } from "vitest";
import {
  getSessionMessages,
  importSessionToStore,
  renameSession,
} from "../../src/transcripts/index.js";
import { withStorageErrors } from "../../src/transcripts/storage-error.js";
import { emptyConfig, entry, sessionId, writeTranscript } from "./transcript-files.helper.js";

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });
}

describe("storage_failed", () => {
  it.each([
    ["EMFILE", true],
    ["ENFILE", true],
    ["EAGAIN", true],
    ["ENOMEM", true],
    ["ENOSPC", true],
    ["EDQUOT", true],
    ["EBUSY", true],
    ["EACCES", false],
    ["EROFS", false],
    ["EIO", false],
  ])("for %s has retryable: %j", async (code, retryable) => {
    const cause = systemError(code, "open");
    await expect(withStorageErrors(() => Promise.reject(cause))).rejects.toMatchObject({
      code: "storage_failed",
      retryable,
    });
  });
});

describe("sessionStore that throws a system error", () => {
  const refused = systemError("ECONNREFUSED", "connect");
  const fail = () => Promise.reject(refused);
  const sessionStore = { append: fail, load: fail };

  it("passes the error unchanged through the transcript functions", async () => {
    const id = sessionId(1);
    await expect(getSessionMessages(id, { sessionStore })).rejects.toBe(refused);
    await expect(renameSession(id, "title", { sessionStore })).rejects.toBe(refused);
  });

  it("passes the error unchanged through importSessionToStore(), which also reads files", async () => {
    const configDir = await emptyConfig();
    writeTranscript(configDir, sessionId(1), [entry("user", 1, null)]);
    const copy = importSessionToStore(sessionId(1), sessionStore, { configDir });
    await expect(copy).rejects.toBe(refused);
  });
});

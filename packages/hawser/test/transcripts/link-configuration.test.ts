import { describe, expect, it } from "vitest";
import { secureStorageDir } from "../../src/transcripts/store/link-configuration.js";

describe("secureStorageDir()", () => {
  it.each([
    [{}, ""],
    [{ CLAUDE_CONFIG_DIR: "/config" }, "/config"],
    [{ CLAUDE_CONFIG_DIR: "config" }, "config"],
    [{ CLAUDE_CONFIG_DIR: "" }, "."],
    [{ CLAUDE_CONFIG_DIR: "", CLAUDE_SECURESTORAGE_CONFIG_DIR: "" }, ""],
    [{ CLAUDE_CONFIG_DIR: "/config", CLAUDE_SECURESTORAGE_CONFIG_DIR: "/login" }, "/login"],
  ])("for %j returns %j", (env, folder) => expect(secureStorageDir(env)).toBe(folder));
});

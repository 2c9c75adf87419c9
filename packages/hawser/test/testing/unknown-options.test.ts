import { describe, expect, it } from "vitest";
import {
  isolatedEnv,
  offlineWorld,
  record,
  replay,
  SimulatedModel,
} from "../../src/testing/index.js";

describe("unknown option", () => {
  it.each<
    [caller: string, path: string, hint: string, call: (options: object) => Promise<unknown>]
  >([
    [
      "SimulatedModel.start()",
      "reply",
      "SimulatedModel.start() knows replies, auxiliary, countTokens.",
      (options) => SimulatedModel.start(options),
    ],
    [
      "isolatedEnv()",
      "baseURL",
      "isolatedEnv() knows baseUrl, apiKey, oauthToken, configDir, extra.",
      (options) => isolatedEnv(options),
    ],
    [
      "offlineWorld()",
      "reply",
      "offlineWorld() knows replies, cliPath, configDir.",
      (options) => offlineWorld(options),
    ],
    [
      "record()",
      "cli",
      "record() knows file, cliPath.",
      (options) => record({ file: "/nowhere/x.jsonl", ...options }),
    ],
    ["replay()", "strict", "replay() knows mode.", (options) => replay("/nowhere.jsonl", options)],
  ])("is refused by %s: %s", async (caller, path, hint, call) => {
    await expect(call({ [path]: "x" })).rejects.toMatchObject({
      code: "invalid_options",
      message: `${path} is not an option of ${caller}.`,
      hint,
      issues: [{ path, message: `is not an option of ${caller}` }],
    });
  });
});

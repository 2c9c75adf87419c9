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
      "SimulatedModel.start() accepts replies, auxiliary, countTokens.",
      (options) => SimulatedModel.start(options),
    ],
    [
      "isolatedEnv()",
      "baseURL",
      "isolatedEnv() accepts baseUrl, apiKey, oauthToken, configDir, extra.",
      (options) => isolatedEnv(options),
    ],
    [
      "offlineWorld()",
      "reply",
      "offlineWorld() accepts replies, cliPath, configDir.",
      (options) => offlineWorld(options),
    ],
    [
      "record()",
      "cli",
      "record() accepts file, cliPath.",
      (options) => record({ file: "/nowhere/x.jsonl", ...options }),
    ],
    [
      "replay()",
      "strict",
      "replay() accepts mode.",
      (options) => replay("/nowhere.jsonl", options),
    ],
  ])("is refused by %s: %s", async (caller, path, hint, call) => {
    await expect(call({ [path]: "x" })).rejects.toMatchObject({
      code: "invalid_options",
      message: `${path} is not an option of ${caller}.`,
      hint,
      issues: [{ path, message: `is not an option of ${caller}` }],
    });
  });
});

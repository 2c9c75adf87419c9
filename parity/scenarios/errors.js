// Failures: of the model, at the start, in the options.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { always, apiError, cut, streamError, usageLimit } from "hawser/testing";
import { collect, converse, thrown } from "../observe.js";

const STATUSES = [400, 401, 403, 404, 413, 429, 500, 529];

export const scenarios = {
  ...Object.fromEntries(
    STATUSES.map((status) => [
      `status ${status}`,
      async (sdk, place) => {
        // After some errors the CLI sends the request twice, regardless of the retry settings.
        place.model.add(always(apiError(status, { message: "as scripted" })));
        return ask(sdk, place);
      },
    ]),
  ),

  async "an error, then another prompt"(sdk, place) {
    place.model.add(apiError(500), "better");
    return converse(sdk, place.options(), "first", "second");
  },

  async "an error as the last of two"(sdk, place) {
    place.model.add("good", apiError(401));
    return converse(sdk, place.options(), "first", "second");
  },

  async "a prompt that is too long"(sdk, place) {
    const message = "prompt is too long: 250000 tokens > 200000 maximum";
    place.model.add(apiError(400, { message }));
    return ask(sdk, place, { env: { DISABLE_COMPACT: "1" } });
  },

  async "one retry"(sdk, place) {
    place.model.add(apiError(529, { headers: { "retry-after": "0" } }), "at last");
    return ask(sdk, place, { env: { CLAUDE_CODE_MAX_RETRIES: "1" } });
  },

  async "the limit of a subscription"(sdk, place) {
    place.model.add(usageLimit({ resetsAt: new Date(Date.UTC(2030, 0, 1)) }));
    const env = { ANTHROPIC_API_KEY: undefined, CLAUDE_CODE_OAUTH_TOKEN: "dummy-token" };
    return ask(sdk, place, { env });
  },

  async "a connection that is cut"(sdk, place) {
    // Before the first byte, because in the middle it is a race how much arrives.
    place.model.add(cut());
    return ask(sdk, place);
  },

  async "an error in the stream"(sdk, place) {
    place.model.add(streamError("overloaded_error", { after: "half" }), "whole");
    return ask(sdk, place);
  },

  async "nobody at the address"(sdk, place) {
    return ask(sdk, place, { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" } });
  },

  async "no credential"(sdk, place) {
    return ask(sdk, place, { env: { ANTHROPIC_API_KEY: undefined } });
  },

  async "an executable that is not there"(sdk, place) {
    return ask(sdk, place, { pathToClaudeCodeExecutable: join(place.root, "missing") });
  },

  async "an executable that is a folder"(sdk, place) {
    return ask(sdk, place, { pathToClaudeCodeExecutable: place.root });
  },

  async "a file that cannot be executed"(sdk, place) {
    const file = join(place.root, "plain");
    writeFileSync(file, "not a program");
    return ask(sdk, place, { pathToClaudeCodeExecutable: file });
  },

  async "an executable that fails"(sdk, place) {
    const file = join(place.root, "failing");
    writeFileSync(file, "#!/bin/sh\necho what went wrong >&2\nexit 7\n", { mode: 0o755 });
    return ask(sdk, place, { pathToClaudeCodeExecutable: file });
  },

  async "an executable that ends without a word"(sdk, place) {
    const file = join(place.root, "silent");
    writeFileSync(file, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    return ask(sdk, place, { pathToClaudeCodeExecutable: file });
  },

  async "an executable that is killed"(sdk, place) {
    const file = join(place.root, "killed");
    writeFileSync(file, "#!/bin/sh\nkill -9 $$\n", { mode: 0o755 });
    return ask(sdk, place, { pathToClaudeCodeExecutable: file });
  },

  async "a folder that is not there"(sdk, place) {
    return ask(sdk, place, { cwd: join(place.root, "missing") });
  },

  async "a flag that is unknown"(sdk, place) {
    return ask(sdk, place, { extraArgs: { "no-such-flag": null } });
  },

  async "a flag that is unknown, and stderr heard"(sdk, place) {
    const heard = [];
    const stderr = (data) => heard.push(data);
    const seen = await ask(sdk, place, { extraArgs: { "no-such-flag": null }, stderr });
    return { ...seen, heard: heard.join("") };
  },

  async "a fallback model that is the model"(sdk, place) {
    return ask(sdk, place, { model: "sonnet", fallbackModel: "sonnet" });
  },

  async "a permission mode that is none"(sdk, place) {
    return ask(sdk, place, { permissionMode: "anything" });
  },

  async "a mistyped permission mode"(sdk, place) {
    return ask(sdk, place, { permissionMode: "plann" });
  },

  async "a callback beside a prompt tool"(sdk, place) {
    const canUseTool = async () => ({ behavior: "allow" });
    return ask(sdk, place, { canUseTool, permissionPromptToolName: "mcp__a__b" });
  },

  async "a process of one's own"(sdk, place) {
    place.model.add("from the other process");
    const started = [];
    const spawnClaudeCodeProcess = ({ command, args, cwd, env, signal }) => {
      const { ANTHROPIC_BASE_URL, HOME } = env;
      started.push({ command, cwd, env: { ANTHROPIC_BASE_URL, HOME }, signal: typeof signal });
      return spawn(command, args, { cwd, env, signal, stdio: ["pipe", "pipe", "ignore"] });
    };
    return { ...(await ask(sdk, place, { spawnClaudeCodeProcess })), started };
  },

  async "a process of one's own that does not start"(sdk, place) {
    const spawnClaudeCodeProcess = () => {
      throw new RangeError("no process today");
    };
    return ask(sdk, place, { spawnClaudeCodeProcess });
  },
};

/** Also returns whether the refusal came at the call or at the first message. */
async function ask(sdk, { options }, more = {}) {
  let query;
  try {
    query = sdk.query({ prompt: "go", options: options(more) });
  } catch (error) {
    return { refused: thrown(error) };
  }
  return collect(query);
}

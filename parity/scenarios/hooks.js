// Hook callbacks: their arguments, and the effects of their answers.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { toolUse } from "hawser/testing";
import { collect, plain } from "../observe.js";

const touch = toolUse("Bash", { command: "touch made", description: "make a file" });

export const scenarios = {
  async "PreToolUse allows"(sdk, place) {
    place.model.add(touch, "done");
    return ask(sdk, place, { PreToolUse: decide("allow") });
  },

  async "PreToolUse denies"(sdk, place) {
    place.model.add(touch, "as you wish");
    return ask(sdk, place, { PreToolUse: decide("deny") }, { allowedTools: ["Bash"] });
  },

  async "PreToolUse asks"(sdk, place) {
    place.model.add(touch, "as you wish");
    const asked = [];
    const canUseTool = async (...told) => {
      asked.push(plain(told));
      return { behavior: "deny", message: "asked and denied" };
    };
    const seen = await ask(sdk, place, { PreToolUse: decide("ask") }, { canUseTool });
    return { ...seen, asked };
  },

  async "PreToolUse changes the input"(sdk, place) {
    place.model.add(toolUse("Bash", { command: "touch other", description: "make" }), "done");
    const updatedInput = { command: "touch made", description: "another" };
    return ask(sdk, place, { PreToolUse: decide("allow", { updatedInput }) });
  },

  async "PreToolUse says nothing"(sdk, place) {
    place.model.add(touch, "done");
    return ask(sdk, place, { PreToolUse: () => ({}) }, { allowedTools: ["Bash"] });
  },

  async "PreToolUse throws"(sdk, place) {
    place.model.add(touch, "done");
    const PreToolUse = () => {
      throw new RangeError("the guard broke");
    };
    return ask(sdk, place, { PreToolUse }, { allowedTools: ["Bash"] });
  },

  async "PreToolUse is too slow"(sdk, place) {
    place.model.add(touch, "as you wish");
    const aborted = [];
    const hook = (_input, _id, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          aborted.push("aborted");
          resolve({});
        });
      });
    const hooks = { PreToolUse: [{ hooks: [hook], timeout: 1 }] };
    const query = sdk.query({
      prompt: "go",
      options: place.options({ hooks, allowedTools: ["Bash"] }),
    });
    const seen = await collect(query);
    return { ...seen, aborted, made: existsSync(join(place.cwd, "made")) };
  },

  async "a matcher that fits, and one that does not"(sdk, place) {
    place.model.add(touch, "done");
    const told = [];
    const note = (name) => async (input, id) => {
      told.push([name, plain(input), id ?? null]);
      return {};
    };
    const hooks = {
      PreToolUse: [
        { matcher: "Write|Edit", hooks: [note("files")] },
        { matcher: "Bash", hooks: [note("shell")] },
      ],
    };
    const options = place.options({ hooks, allowedTools: ["Bash"] });
    return { ...(await collect(sdk.query({ prompt: "go", options }))), told };
  },

  async "PostToolUse adds context"(sdk, place) {
    place.model.add(touch, "done");
    const output = { hookEventName: "PostToolUse", additionalContext: "seen by the hook" };
    const PostToolUse = () => ({ hookSpecificOutput: output });
    return ask(sdk, place, { PostToolUse }, { allowedTools: ["Bash"] });
  },

  async "PostToolUse ends the turn"(sdk, place) {
    place.model.add(touch);
    const PostToolUse = () => ({ continue: false, stopReason: "enough" });
    return ask(sdk, place, { PostToolUse }, { allowedTools: ["Bash"] });
  },

  async "PostToolUseFailure and PostToolBatch"(sdk, place) {
    place.model.add(toolUse("Bash", { command: "exit 3", description: "fail" }), "it failed");
    const nothing = () => ({});
    const hooks = { PostToolUseFailure: nothing, PostToolBatch: nothing };
    return ask(sdk, place, hooks, { allowedTools: ["Bash"] });
  },

  async "UserPromptSubmit adds context"(sdk, place) {
    place.model.add("done");
    const output = { hookEventName: "UserPromptSubmit", additionalContext: "more to know" };
    return ask(sdk, place, { UserPromptSubmit: () => ({ hookSpecificOutput: output }) });
  },

  async "UserPromptSubmit blocks"(sdk, place) {
    return ask(sdk, place, { UserPromptSubmit: () => ({ decision: "block", reason: "no" }) });
  },

  async "Stop blocks once"(sdk, place) {
    place.model.add("I am done.", "Now I am.");
    const Stop = (input) =>
      input.stop_hook_active ? {} : { decision: "block", reason: "not yet" };
    return ask(sdk, place, { Stop });
  },

  async "an answer that comes later"(sdk, place) {
    place.model.add(touch, "done");
    return ask(sdk, place, { PreToolUse: () => ({ async: true }) }, { allowedTools: ["Bash"] });
  },

  async "a message for the user"(sdk, place) {
    place.model.add(touch, "done");
    const PreToolUse = () => ({ systemMessage: "the hook says", suppressOutput: true });
    return ask(sdk, place, { PreToolUse }, { allowedTools: ["Bash"] });
  },

  async "SessionStart and SessionEnd"(sdk, place) {
    place.model.add("done");
    return ask(sdk, place, { SessionStart: () => ({}), SessionEnd: () => ({}) });
  },
};

function decide(permissionDecision, more = {}) {
  const output = { hookEventName: "PreToolUse", permissionDecision, ...more };
  return () => ({ hookSpecificOutput: { ...output, permissionDecisionReason: "by the hook" } });
}

/** Runs a query with one callback for each event. Returns their arguments and the files afterwards. */
async function ask(sdk, { options, cwd }, callbacks, more = {}) {
  const told = [];
  const hooks = Object.fromEntries(
    Object.entries(callbacks).map(([event, callback]) => {
      const hook = async (...all) => {
        told.push([event, ...plain(all)]);
        return callback(...all);
      };
      return [event, [{ hooks: [hook] }]];
    }),
  );
  const seen = await collect(sdk.query({ prompt: "go", options: options({ hooks, ...more }) }));
  return { ...seen, told, made: existsSync(join(cwd, "made")) };
}

// Permissions: the modes, the callback, its arguments and its answers.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toolUse } from "hawser/testing";
import { collect, plain, thrown } from "../observe.js";

const touch = (name) => toolUse("Bash", { command: `touch ${name}`, description: "make a file" });

const MODES = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"];

export const scenarios = {
  async allow(sdk, place) {
    place.model.add(touch("made"), "done");
    return ask(sdk, place, async (_, input) => ({ behavior: "allow", updatedInput: input }));
  },

  async "allow, and no more said"(sdk, place) {
    place.model.add(touch("made"), "done");
    return ask(sdk, place, async () => ({ behavior: "allow" }));
  },

  async "allow with another input"(sdk, place) {
    place.model.add(touch("asked"), "done");
    const updatedInput = { command: "touch made", description: "another" };
    return ask(sdk, place, async () => ({ behavior: "allow", updatedInput }));
  },

  async "allow for the session"(sdk, place) {
    place.model.add(touch("made"), touch("made"), "done");
    const rules = [{ toolName: "Bash", ruleContent: "touch *" }];
    return ask(sdk, place, async (_, input) => ({
      behavior: "allow",
      updatedInput: input,
      updatedPermissions: [{ type: "addRules", rules, behavior: "allow", destination: "session" }],
    }));
  },

  async "the suggestions echoed"(sdk, place) {
    place.model.add(touch("made"), touch("made"), "done");
    const settings = join(place.cwd, ".claude", "settings.local.json");
    const seen = await ask(sdk, place, async (_, input, { suggestions }) => ({
      behavior: "allow",
      updatedInput: input,
      updatedPermissions: suggestions,
    }));
    return { ...seen, settings: existsSync(settings) ? readFileSync(settings, "utf8") : null };
  },

  async "a mode for the session"(sdk, place) {
    const write = toolUse("Write", { file_path: join(place.cwd, "made"), content: "text" });
    place.model.add(touch("other"), write, "done");
    return ask(sdk, place, async (_, input) => ({
      behavior: "allow",
      updatedInput: input,
      updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
    }));
  },

  async deny(sdk, place) {
    place.model.add(touch("made"), "as you wish");
    return ask(sdk, place, async () => ({ behavior: "deny", message: "not here" }));
  },

  async "deny and interrupt"(sdk, place) {
    place.model.add(touch("made"));
    return ask(sdk, place, async () => ({ behavior: "deny", message: "stop", interrupt: true }));
  },

  async "a callback that throws"(sdk, place) {
    place.model.add(touch("made"), "as you wish");
    return ask(sdk, place, async () => {
      throw new RangeError("the callback broke");
    });
  },

  async "an answer that is none"(sdk, place) {
    place.model.add(touch("made"), "as you wish");
    return ask(sdk, place, async () => ({ behavior: "perhaps" }));
  },

  async "no callback"(sdk, place) {
    place.model.add(touch("made"), "as you wish");
    return ask(sdk, place, undefined);
  },

  async "prompts for nobody"(sdk, place) {
    place.model.add(touch("made"), "as you wish");
    const allow = async () => ({ behavior: "allow" });
    return ask(sdk, place, allow, { permissionPrompts: "none" });
  },

  async "a file outside of the folder"(sdk, place) {
    const file_path = join(place.root, "outside.txt");
    place.model.add(toolUse("Write", { file_path, content: "text" }), "as you wish");
    return ask(sdk, place, async () => ({ behavior: "deny", message: "outside" }));
  },

  async "a question to the user"(sdk, place) {
    const question = {
      question: "Which one?",
      header: "Choice",
      multiSelect: false,
      options: [
        { label: "Red", description: "warm" },
        { label: "Blue", description: "cold" },
      ],
    };
    place.model.add(toolUse("AskUserQuestion", { questions: [question] }), "Blue it is");
    return ask(sdk, place, async (_, input) => ({
      behavior: "allow",
      updatedInput: { ...input, answers: { "Which one?": "Blue" } },
    }));
  },

  async "the end of a plan"(sdk, place) {
    place.model.add(toolUse("ExitPlanMode", { plan: "1. touch" }), touch("made"), "done");
    const allow = async (_, input) => ({ behavior: "allow", updatedInput: input });
    return ask(sdk, place, allow, { permissionMode: "plan" });
  },

  async "a callback beside an allowed tool"(sdk, place) {
    place.model.add(touch("made"), "done");
    const deny = async () => ({ behavior: "deny", message: "never asked" });
    return ask(sdk, place, deny, { allowedTools: ["Bash"] });
  },

  ...Object.fromEntries(
    MODES.flatMap((permissionMode) => [
      [
        `mode ${permissionMode}, with a callback`,
        (sdk, place) => inMode(sdk, place, permissionMode, async () => ({ behavior: "allow" })),
      ],
      [
        `mode ${permissionMode}, without a callback`,
        (sdk, place) => inMode(sdk, place, permissionMode, undefined),
      ],
    ]),
  ),
};

function inMode(sdk, place, permissionMode, canUseTool) {
  const write = toolUse("Write", { file_path: join(place.cwd, "written"), content: "text" });
  place.model.add(write, touch("made"), "done");
  return ask(sdk, place, canUseTool, {
    permissionMode,
    allowDangerouslySkipPermissions: permissionMode === "bypassPermissions",
    // The CLI refuses to skip permissions as root outside of a sandbox.
    env: { IS_SANDBOX: "1" },
  });
}

/** Runs a query with a callback. Returns the callback's arguments and the files afterwards. */
async function ask(sdk, { options, cwd }, canUseTool, more = {}) {
  const asked = [];
  const record = async (...told) => {
    asked.push(plain(told));
    return canUseTool(...told);
  };
  const callback = canUseTool === undefined ? {} : { canUseTool: record };
  const made = () => ["made", "asked", "other", "written"].filter((f) => existsSync(join(cwd, f)));
  try {
    const query = sdk.query({ prompt: "go", options: options({ ...callback, ...more }) });
    return { ...(await collect(query)), asked, made: made() };
  } catch (error) {
    return { refused: thrown(error) };
  }
}

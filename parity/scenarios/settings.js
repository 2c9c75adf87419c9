// Options that change the requests to the model, or the files that the CLI reads.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiError, toolUse } from "hawser/testing";
import { collect } from "../observe.js";

const echo = toolUse("Bash", { command: "touch made", description: "make a file" });

/** Options that one call each can test. */
const PLAIN = {
  "a system prompt": { systemPrompt: "You are terse." },
  "an empty system prompt": { systemPrompt: "" },
  "a system prompt in parts": { systemPrompt: ["You are terse.", "And kind."] },
  "the preset's system prompt": { systemPrompt: { type: "preset", preset: "claude_code" } },
  "more behind the preset": {
    systemPrompt: { type: "preset", preset: "claude_code", append: "Be terse." },
  },
  "the preset without what changes": {
    systemPrompt: { type: "preset", preset: "claude_code", excludeDynamicSections: true },
  },
  "a model": { model: "haiku" },
  effort: { model: "opus", effort: "low" },
  "adaptive thinking": { thinking: { type: "adaptive" } },
  "thinking with a budget": {
    model: "claude-sonnet-4-5",
    thinking: { type: "enabled", budgetTokens: 2048 },
  },
  "thinking disabled": { thinking: { type: "disabled" } },
  "thinking tokens": { model: "claude-sonnet-4-5", maxThinkingTokens: 4096 },
  "thinking beside thinking tokens": {
    model: "claude-sonnet-4-5",
    thinking: { type: "adaptive" },
    maxThinkingTokens: 5000,
  },
  "an effort that no CLI knows": { model: "opus", effort: "ultra" },
  betas: { betas: ["context-1m-2025-08-07"] },
  "the main thread as an agent": {
    agent: "terse",
    agents: {
      terse: { description: "terse", prompt: "You are the terse agent.", tools: ["Read"] },
    },
  },
  skills: { skills: "all" },
  "no skills": { skills: [] },
  "flags of the caller's own": { extraArgs: { "append-system-prompt": "From a flag." } },
  "a plan's own instructions": { permissionMode: "plan", planModeInstructions: "Plan in verse." },
  "an alias of a tool": { toolAliases: { Bash: "mcp__workspace__bash" } },
  "a debug file": { debug: true },
  "settings as text": { settings: JSON.stringify({ outputStyle: "Explanatory" }) },
  "managed settings": { managedSettings: { permissions: { deny: ["WebFetch"] } } },
  "a token budget": { taskBudget: { total: 50_000 } },
};

export const scenarios = {
  ...Object.fromEntries(
    Object.entries(PLAIN).map(([name, more]) => [
      name,
      async (sdk, place) => {
        place.model.add("ok");
        return ask(sdk, place, more);
      },
    ]),
  ),

  async "settings with rules"(sdk, place) {
    place.model.add(echo, "done");
    return ask(sdk, place, { settings: { permissions: { allow: ["Bash(touch *)"] } } });
  },

  async "settings that deny"(sdk, place) {
    place.model.add(echo, "denied");
    const settings = { permissions: { deny: ["Bash(touch *)"] } };
    return ask(sdk, place, { settings, allowedTools: ["Bash"] });
  },

  async "settings that choose a mode"(sdk, place) {
    const write = toolUse("Write", { file_path: join(place.cwd, "made"), content: "text" });
    place.model.add(write, "done");
    return ask(sdk, place, { settings: { permissions: { defaultMode: "acceptEdits" } } });
  },

  async "a file of settings"(sdk, place) {
    place.model.add(echo, "done");
    const file = join(place.root, "settings.json");
    writeFileSync(file, JSON.stringify({ permissions: { allow: ["Bash(touch *)"] } }));
    return ask(sdk, place, { settings: file });
  },

  async "a sandbox beside settings"(sdk, place) {
    place.model.add("ok");
    const sandbox = { enabled: false, autoAllowBashIfSandboxed: true };
    return ask(sdk, place, { sandbox, settings: { model: "haiku" } });
  },

  async "the project's files, read by default"(sdk, place) {
    project(place);
    place.model.add(echo, "done");
    return ask(sdk, place);
  },

  async "no settings files"(sdk, place) {
    project(place);
    place.model.add(echo, "denied");
    return ask(sdk, place, { settingSources: [] });
  },

  async "the project's files only"(sdk, place) {
    project(place);
    place.model.add(echo, "done");
    return ask(sdk, place, { settingSources: ["project"] });
  },

  async "hooks in a settings file, their events shown"(sdk, place) {
    const command = { type: "command", command: "echo from-the-hook" };
    const settings = {
      hooks: { SessionStart: [{ hooks: [command] }], UserPromptSubmit: [{ hooks: [command] }] },
    };
    place.model.add("ok");
    return ask(sdk, place, { settings, includeHookEvents: true });
  },

  async "more folders"(sdk, place) {
    const folder = join(place.root, "more");
    mkdirSync(folder);
    writeFileSync(join(folder, "a.txt"), "alpha");
    place.model.add(toolUse("Read", { file_path: join(folder, "a.txt") }), "alpha");
    return ask(sdk, place, { additionalDirectories: [folder] });
  },

  async "the fallback model"(sdk, place) {
    place.model.add(apiError(529), apiError(529), apiError(529), "from the other");
    const env = { CLAUDE_CODE_MAX_RETRIES: "3" };
    const seen = await ask(sdk, place, { model: "opus", fallbackModel: "sonnet", env });
    return { ...seen, script: "played to its end" };
  },

  async "variables of the environment"(sdk, place) {
    const command = "echo $PARITY_MARK $CLAUDE_CODE_ENTRYPOINT > seen.txt";
    place.model.add(toolUse("Bash", { command, description: "look" }), "done");
    const seen = await ask(sdk, place, { env: { PARITY_MARK: "here" }, allowedTools: ["Bash"] });
    return { ...seen, variables: readFileSync(join(place.cwd, "seen.txt"), "utf8") };
  },
};

function project({ cwd }) {
  mkdirSync(join(cwd, ".claude"));
  const settings = { permissions: { allow: ["Bash(touch *)"] } };
  writeFileSync(join(cwd, ".claude", "settings.json"), JSON.stringify(settings));
  writeFileSync(join(cwd, "CLAUDE.md"), "Always answer in verse.\n");
}

function ask(sdk, { options }, more = {}) {
  return collect(sdk.query({ prompt: "go", options: options(more) }));
}

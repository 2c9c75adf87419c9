// The methods of a query: their results and their effects.
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toolUse } from "hawser/testing";
import { collect, converse, Input, outcome, outcomeOf } from "../observe.js";

const ID = "22222222-2222-4222-8222-222222222222";

const touch = toolUse("Bash", { command: "touch made", description: "make a file" });

export const scenarios = {
  async "what is known from the start"(sdk, place) {
    place.model.add("ok");
    return converse(
      sdk,
      place.options(),
      (query) => outcome(query.supportedModels()),
      (query) => outcome(query.supportedCommands()),
      (query) => outcome(query.supportedAgents()),
      (query) => outcome(query.accountInfo()),
      (query) => outcome(query.initializationResult()),
      "go",
    );
  },

  async reinitialize(sdk, place) {
    place.model.add("ok");
    return converse(sdk, place.options(), "go", (query) => outcome(query.reinitialize()));
  },

  async "another model"(sdk, place) {
    place.model.add("one", "two", "three");
    return converse(
      sdk,
      place.options({ model: "sonnet" }),
      "first",
      (query) => outcome(query.setModel("haiku")),
      "second",
      (query) => outcome(query.setModel()),
      "third",
    );
  },

  async "another permission mode"(sdk, place) {
    const write = toolUse("Write", { file_path: join(place.cwd, "made"), content: "text" });
    place.model.add(write, "denied", write, "done", write, "planned");
    return converse(
      sdk,
      place.options(),
      "first",
      (query) => outcome(query.setPermissionMode("acceptEdits")),
      "second",
      (query) => outcome(query.setPermissionMode("bypassPermissions")),
      (query) => outcome(query.setPermissionMode("anything")),
      (query) => outcome(query.setPermissionMode("dontAsk")),
      "third",
    );
  },

  async "thinking tokens"(sdk, place) {
    place.model.add("one", "two", "three");
    return converse(
      sdk,
      place.options({ model: "claude-sonnet-4-5" }),
      "first",
      (query) => outcome(query.setMaxThinkingTokens(2048)),
      "second",
      (query) => outcome(query.setMaxThinkingTokens(null)),
      "third",
    );
  },

  async "context usage"(sdk, place) {
    place.model.add("ok");
    return converse(
      sdk,
      place.options(),
      "go",
      (query) => outcome(query.getContextUsage()),
      (query) => outcome(query.getContextUsage({ detail: "summary" })),
    );
  },

  async usage(sdk, place) {
    place.model.add("ok");
    const name = "usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET";
    return converse(sdk, place.options(), "go", (query) => outcome(query[name]()));
  },

  async "status of no servers"(sdk, place) {
    place.model.add("ok");
    return converse(sdk, place.options(), "go", (query) => outcome(query.mcpServerStatus()));
  },

  async "files rewound"(sdk, place) {
    const file_path = join(place.cwd, "note.txt");
    writeFileSync(file_path, "before\n");
    place.model.add(
      toolUse("Read", { file_path }),
      toolUse("Write", { file_path, content: "after\n" }),
      "done",
    );
    const options = place.options({
      enableFileCheckpointing: true,
      permissionMode: "acceptEdits",
      extraArgs: { "replay-user-messages": null },
    });
    return converse(
      sdk,
      options,
      { text: "go", uuid: ID },
      (query) => outcome(query.rewindFiles(ID, { dryRun: true })),
      (query) => outcome(query.rewindFiles(ID)),
      () => readFileSync(file_path, "utf8"),
      (query) => outcome(query.rewindFiles("33333333-3333-4333-8333-333333333333")),
    );
  },

  async "rewind that was not enabled"(sdk, place) {
    place.model.add("ok");
    return converse(sdk, place.options(), "go", (query) => outcome(query.rewindFiles(ID)));
  },

  async "settings of the session"(sdk, place) {
    place.model.add(touch, "denied", touch, "done");
    const seen = await converse(
      sdk,
      place.options(),
      "first",
      (query) => outcome(query.applyFlagSettings({ permissions: { allow: ["Bash(touch *)"] } })),
      (query) => outcome(query.applyFlagSettings({ permissions: { allow: "nonsense" } })),
      "second",
    );
    return { ...seen, made: existsSync(join(place.cwd, "made")) };
  },

  async "settings of the user"(sdk, place) {
    place.model.add("ok");
    const file = join(place.configDir, "settings.json");
    return converse(
      sdk,
      place.options(),
      "go",
      (query) => outcome(query.updateSettings("userSettings", { model: "haiku" })),
      () => JSON.parse(readFileSync(file, "utf8")),
    );
  },

  async "files read"(sdk, place) {
    const file = join(place.cwd, "note.txt");
    writeFileSync(file, "the note\n");
    const edit = { file_path: file, old_string: "note", new_string: "word" };
    place.model.add(toolUse("Edit", edit), "done");
    const seen = await converse(
      sdk,
      place.options({ permissionMode: "acceptEdits" }),
      (query) => outcome(query.readFile(file)),
      (query) => outcome(query.readFile("note.txt", { maxBytes: 3 })),
      (query) => outcome(query.readFile(file, { encoding: "base64" })),
      (query) => outcome(query.readFile(join(place.cwd, "missing.txt"))),
      (query) => outcome(query.seedReadState(file, Math.floor(statSync(file).mtimeMs))),
      "go",
    );
    return { ...seen, file: readFileSync(file, "utf8") };
  },

  async "plugins, skills and styles read again"(sdk, place) {
    place.model.add("ok");
    return converse(
      sdk,
      place.options(),
      "go",
      (query) => outcome(query.reloadPlugins()),
      (query) => outcome(query.reloadSkills()),
      (query) => outcome(query.reloadOutputStyles()),
    );
  },

  async "tasks that are not there"(sdk, place) {
    place.model.add("ok");
    return converse(
      sdk,
      place.options(),
      "go",
      (query) => outcome(query.stopTask("nobody")),
      (query) => outcome(query.backgroundTasks()),
      (query) => outcome(query.backgroundTasks("toolu_nobody")),
    );
  },

  async "a server's permission mode"(sdk, place) {
    place.model.add("ok");
    return converse(
      sdk,
      place.options(),
      "go",
      (query) => outcome(query.setMcpPermissionModeOverride("nobody", "default")),
      (query) => outcome(query.toggleMcpServer("nobody", false)),
      (query) => outcome(query.readMcpResource("nobody", "test://one")),
    );
  },

  async "more input by streamInput"(sdk, place) {
    place.model.add("one", "two");
    const first = new Input("first");
    const query = sdk.query({ prompt: first, options: place.options() });
    const second = new Input("second");
    second.end();
    const answers = [];
    let results = 0;
    const seen = await collect(query, async (message) => {
      if (message.type !== "result") return;
      results += 1;
      if (results === 1) answers.push(await outcome(query.streamInput(second)));
      else first.end();
    });
    return { ...seen, answers };
  },

  async "methods beside a string prompt"(sdk, place) {
    place.model.add("ok");
    const query = sdk.query({ prompt: "go", options: place.options() });
    const answers = [await outcome(query.accountInfo())];
    const seen = await collect(query);
    return { ...seen, answers };
  },

  async "methods after the end"(sdk, place) {
    place.model.add("ok");
    const query = sdk.query({ prompt: "go", options: place.options() });
    const seen = await collect(query);
    const answers = [
      await outcomeOf(() => query.setModel("haiku")),
      await outcomeOf(() => query.interrupt()),
      await outcomeOf(() => query.accountInfo()),
      await outcomeOf(() => query.mcpServerStatus()),
      await outcomeOf(() => query.close()),
    ];
    return { ...seen, answers };
  },

  async "the names of what a query has"(sdk, place) {
    place.model.add("ok");
    const query = sdk.query({ prompt: "go", options: place.options() });
    const names = METHODS.filter((name) => typeof query[name] === "function");
    const iterable = query[Symbol.asyncIterator]() === query;
    return { ...(await collect(query)), names, iterable };
  },
};

const METHODS = [
  "next",
  "return",
  "throw",
  "interrupt",
  "setPermissionMode",
  "setMcpPermissionModeOverride",
  "setModel",
  "setMaxThinkingTokens",
  "applyFlagSettings",
  "updateSettings",
  "initializationResult",
  "reinitialize",
  "supportedCommands",
  "supportedModels",
  "supportedAgents",
  "mcpServerStatus",
  "getContextUsage",
  "usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET",
  "readFile",
  "reloadPlugins",
  "reloadSkills",
  "reloadOutputStyles",
  "accountInfo",
  "rewindFiles",
  "seedReadState",
  "reconnectMcpServer",
  "toggleMcpServer",
  "readMcpResource",
  "setMcpServers",
  "streamInput",
  "stopTask",
  "backgroundTasks",
  "close",
  Symbol.asyncDispose,
];

// The CLI's own tools, allowed beforehand.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toolUse } from "hawser/testing";
import { collect } from "../observe.js";

export const scenarios = {
  async Bash(sdk, { model, options }) {
    model.add(toolUse("Bash", { command: "echo from-the-shell", description: "say" }), "done");
    return ask(sdk, options({ allowedTools: ["Bash"] }));
  },

  async "Bash that fails"(sdk, { model, options }) {
    const command = "echo out; echo err >&2; exit 3";
    model.add(toolUse("Bash", { command, description: "fail" }), "it failed");
    return ask(sdk, options({ allowedTools: ["Bash"] }));
  },

  async "Write, Read, Edit, one after the other"(sdk, { model, options, cwd }) {
    const file_path = join(cwd, "note.txt");
    model.add(
      toolUse("Write", { file_path, content: "one\ntwo\n" }),
      toolUse("Read", { file_path }),
      toolUse("Edit", { file_path, old_string: "two", new_string: "three" }),
      "done",
    );
    const seen = await ask(sdk, options({ allowedTools: ["Write", "Read", "Edit"] }));
    return { ...seen, file: readFileSync(file_path, "utf8") };
  },

  async "Read of a file that is not there"(sdk, { model, options, cwd }) {
    model.add(toolUse("Read", { file_path: join(cwd, "missing.txt") }), "not there");
    return ask(sdk, options());
  },

  async "a tool that does not exist"(sdk, { model, options }) {
    model.add(toolUse("Nothing", { a: 1 }), "no such tool");
    return ask(sdk, options());
  },

  async "input that the tool refuses"(sdk, { model, options }) {
    model.add(toolUse("Read", { file: 1 }), "wrong input");
    return ask(sdk, options());
  },

  async "text and a tool in one answer"(sdk, { model, options, cwd }) {
    writeFileSync(join(cwd, "a.txt"), "alpha");
    model.add(["Let me look.", toolUse("Read", { file_path: join(cwd, "a.txt") })], "alpha it is");
    return ask(sdk, options());
  },

  async "a set of tools"(sdk, { model, options }) {
    model.add("ok");
    return ask(sdk, options({ tools: ["Bash", "Read"] }));
  },

  async "no tools"(sdk, { model, options }) {
    model.add("ok");
    return ask(sdk, options({ tools: [] }));
  },

  async "the preset of tools"(sdk, { model, options }) {
    model.add("ok");
    return ask(sdk, options({ tools: { type: "preset", preset: "claude_code" } }));
  },

  async "disallowed tools"(sdk, { model, options, cwd }) {
    model.add(toolUse("Bash", { command: "touch made", description: "make" }), "not allowed");
    const disallowedTools = ["Bash(touch *)", "WebFetch"];
    const seen = await ask(sdk, options({ allowedTools: ["Bash"], disallowedTools }));
    return { ...seen, made: existsSync(join(cwd, "made")) };
  },

  async "an allowed rule, and a call beside it"(sdk, { model, options, cwd }) {
    model.add(
      toolUse("Bash", { command: "touch made", description: "make" }),
      toolUse("Bash", { command: "mkdir folder", description: "make" }),
      "one of two",
    );
    const seen = await ask(sdk, options({ allowedTools: ["Bash(touch *)"] }));
    return { ...seen, made: ["made", "folder"].map((name) => existsSync(join(cwd, name))) };
  },
};

function ask(sdk, options) {
  return collect(sdk.query({ prompt: "go", options }));
}

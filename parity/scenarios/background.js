// Work beside the conversation: background shells, sub-agents.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { toolUse } from "hawser/testing";
import { collect, Input, outcome, plain } from "../observe.js";

export const scenarios = {
  async "a shell that ends after its turn"(sdk, place) {
    // Ends when the scenario ends it, after the first result.
    const command = "mkfifo pipe; cat pipe";
    const call = { command, description: "wait", run_in_background: true };
    place.model.add(toolUse("Bash", call), "started", "I see that it ended.");
    const input = new Input("go");
    const options = place.options({ allowedTools: ["Bash"] });
    let results = 0;
    return collect(sdk.query({ prompt: input, options }), ({ type }) => {
      if (type !== "result") return;
      results += 1;
      if (results === 1) writeFileSync(join(place.cwd, "pipe"), "the end\n");
      else input.end();
    });
  },

  async "a shell that ends after a string prompt's turn"(sdk, place) {
    const call = { command: "mkfifo pipe; cat pipe", description: "wait", run_in_background: true };
    place.model.add(toolUse("Bash", call), "started", "I see that it ended.");
    const options = place.options({ allowedTools: ["Bash"] });
    let written = false;
    return collect(sdk.query({ prompt: "go", options }), ({ type }) => {
      if (type !== "result" || written) return;
      written = true;
      writeFileSync(join(place.cwd, "pipe"), "the end\n");
    });
  },

  async "a shell that is stopped"(sdk, place) {
    const call = { command: "mkfifo pipe; cat pipe", description: "wait", run_in_background: true };
    place.model.add(toolUse("Bash", call), "started");
    const input = new Input("go");
    const query = sdk.query({ prompt: input, options: place.options({ allowedTools: ["Bash"] }) });
    const answers = [];
    let task;
    const seen = await collect(query, async (message) => {
      task ??= message.subtype === "task_started" ? message.task_id : undefined;
      if (message.type === "result") answers.push(await outcome(query.stopTask(task)));
      if (message.subtype === "task_notification") input.end();
    });
    return { ...seen, answers };
  },

  async "a sub-agent"(sdk, place) {
    place.model.add(
      agent("Look it up", { run_in_background: false }),
      toolUse("Bash", { command: "echo found", description: "look" }),
      "It is found.",
      "The agent found it.",
    );
    const told = [];
    const hook = async (...all) => {
      told.push(plain(all));
      return {};
    };
    const options = place.options({
      allowedTools: ["Agent", "Task", "Bash"],
      agents: { finder: FINDER },
      hooks: { SubagentStart: [{ hooks: [hook] }], SubagentStop: [{ hooks: [hook] }] },
    });
    return { ...(await collect(sdk.query({ prompt: "go", options }))), told };
  },

  async "a sub-agent whose text is forwarded"(sdk, place) {
    place.model.add(
      agent("Look it up", { run_in_background: false }),
      "It is found.",
      "The agent found it.",
    );
    const options = place.options({
      allowedTools: ["Agent", "Task"],
      agents: { finder: FINDER },
      forwardSubagentText: true,
    });
    return collect(sdk.query({ prompt: "go", options }));
  },

  async "a sub-agent that asks for permission"(sdk, place) {
    place.model.add(
      agent("Make a file", { run_in_background: false }),
      toolUse("Bash", { command: "touch made", description: "make" }),
      "I was not allowed.",
      "The agent failed.",
    );
    const asked = [];
    const canUseTool = async (...told) => {
      asked.push(plain(told));
      return { behavior: "deny", message: "not by an agent" };
    };
    const options = place.options({
      allowedTools: ["Agent", "Task"],
      agents: { finder: FINDER },
      canUseTool,
    });
    return { ...(await collect(sdk.query({ prompt: "go", options }))), asked };
  },
};

const FINDER = {
  description: "Finds things",
  prompt: "You find things.",
  tools: ["Bash"],
  model: "haiku",
};

function agent(prompt, more) {
  return toolUse("Agent", { description: "find it", prompt, subagent_type: "finder", ...more });
}

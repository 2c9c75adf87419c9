import type { Action, ScenarioCli, ScenarioFile } from "../../testing/index.js";
import { answerTo } from "./brain.js";

/** The same answers by the fake CLI, where there is no real one. Loaded by the fake itself. */
const scenario: ScenarioFile = {
  states: true,
  steps: [
    { on: "initialize", times: "always", do: [rememberSchema, { default: true }] },
    { on: "user", times: "always", do: [answer] },
  ],
};

// The file of a scenario has it as its default export.
export { scenario as default };

let schema: unknown;

function rememberSchema({ message }: ScenarioCli): void {
  const { request } = message as { request?: { jsonSchema?: unknown } };
  schema = request?.jsonSchema;
}

async function answer(cli: ScenarioCli): Promise<void> {
  const answered = answerTo({ prompt: cli.prompt, schema });
  if ("value" in answered) return cli.do({ turn: [{ value: answered.value }] });
  if ("use" in answered) {
    const result = "(this stand-in for the CLI runs no tools)";
    const call: Action = { tool: answered.use, input: answered.input, result };
    return cli.do({ turn: [call, "That is what the tool would have done."] });
  }
  const parts = answered.slowly ? slowly(answered.say) : [answered.say];
  return cli.do({ turn: parts });
}

/** In lines: the fake has no other pauses. */
function slowly(text: string): (string | Action)[] {
  const lines = text.match(/(?:\S+\s*){1,10}/g) ?? [];
  return lines.flatMap((line) => [line.trim(), { sleep: 500 }]);
}

import {
  apiError,
  hang,
  type RecordedRequest,
  type ReplyInput,
  refusal,
  reply,
  toolUse,
} from "../../../src/testing/index.js";
import type { Planned } from "./plan.helper.js";
import { wordsIn } from "./random.helper.js";

/** A model that gives each call its planned reply. */
export function modelFor(calls: readonly Planned[]): (request: RecordedRequest) => ReplyInput {
  return (request) => {
    const [call] = callsIn(request, calls);
    if (call === undefined) throw new Error("No call has asked for this.");
    return replyTo(request, call);
  };
}

/** The calls whose prompt is in a request. */
export function callsIn({ body }: RecordedRequest, calls: readonly Planned[]): readonly Planned[] {
  const words = wordsIn(body);
  return calls.filter(({ word }) => words.has(word));
}

function replyTo(request: RecordedRequest, call: Planned): ReplyInput {
  const { fate, abort, answer } = call;
  switch (fate) {
    case "400":
    case "500":
    case "429":
    case "529":
      return apiError(Number(fate), { message: `No, ${answer}.` });
    case "refusal":
      return refusal(`I will not, ${answer}.`);
    case "max_turns":
      // Without such a limit the call goes on and is answered.
      if (request.toolResults.length > 0) return answerTo(request, call);
      return toolUse("Nothing", { word: answer });
    case "timeout":
      return hang(`Wait, ${answer}`);
    case "aborted while the model thinks":
      setImmediate(() => abort.abort());
      return hang();
    case "aborted in the answer":
      setTimeout(() => abort.abort(), 30);
      return hang(`It is ${answer}, as`, { chunks: 3 });
    default:
      return answerTo(request, call);
  }
}

function answerTo(request: RecordedRequest, call: Planned): ReplyInput {
  const { answer, options } = call;
  if (options.schema !== undefined) return toolUse("StructuredOutput", { word: answer });
  if (request.tools.includes("note")) return toolUse("note", { word: answer });
  const uses = toolsTried(call);
  if (uses.length > 0 && request.toolResults.length === 0) return uses;
  return reply(`The word is ${answer}.`, { chunks: 3 });
}

function toolsTried({ kind, grant, foreign }: Planned): ReturnType<typeof toolUse>[] {
  const run = (command: string) =>
    toolUse("Bash", { command, description: "d" }, { id: `toolu_${command.replace(/\W/g, "_")}` });
  if (kind === "shell") {
    const commands = [`touch ${grant}`, `touch ${foreign}`, "printenv HOME_WORD", "pwd"];
    return commands.map(run);
  }
  if (kind === "asked") return [run(`touch ${grant}`), run(`touch ${foreign}`)];
  return kind === "program" ? [toolUse("mcp__own__say", {}, { id: "toolu_say" })] : [];
}

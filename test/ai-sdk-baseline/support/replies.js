// Replies of a simulated model that looks at what the request offers, as a real model does.
import { always, toolUse } from "hawser/testing";

/**
 * A model that does one thing after the other. A thing is a text, or calls of tools as `[name, input]`. It calls the
 * tools by the names under which the request offers them. If the CLI only names them and offers a search for them,
 * the model searches first. Without them it says that it has none.
 * @param {readonly (string | readonly [name: string, input: object][])[]} things
 */
export function oneAfterTheOther(things) {
  const left = [...things];
  return always((request) => {
    const thing = left[0];
    if (typeof thing === "string" || thing === undefined) {
      left.shift();
      return thing;
    }
    const missing = thing.map(([name]) => name).filter((name) => !offeredAs(request, name));
    const named = missing.flatMap((name) => namedIn(request, name) ?? []);
    if (named.length > 0 && request.tools.includes(SEARCH)) {
      return toolUse(SEARCH, { query: `select:${named.join(",")}` });
    }
    if (missing.length > 0) return "I have no such tool.";
    left.shift();
    return thing.map(([name, input]) => toolUse(offeredAs(request, name), input));
  });
}

const SEARCH = "ToolSearch";

/** The name of a tool that the CLI mentions and does not offer yet. */
function namedIn(request, name) {
  const texts = blocksOf(request).map(({ text = "" }) => text);
  return new RegExp(`\\bmcp__\\w+__${name}\\b`).exec(texts.join("\n"))?.[0];
}

/** Calls a tool only if the request forces the model to: by `tool_choice`, or by a schema for the answer. */
export function callsIfForced(name, input) {
  return (request) => {
    const schema = request.body.tools?.find((tool) => tool.name === "StructuredOutput");
    if (schema !== undefined) {
      const wrapped = "call" in (schema.input_schema.properties ?? {});
      return toolUse("StructuredOutput", wrapped ? { call: { tool: name, input } } : input);
    }
    const forced = ["any", "tool"].includes(request.body.tool_choice?.type);
    return forced ? toolUse(offeredAs(request, name) ?? name, input) : "I need no tool.";
  };
}

/** The name by which a request offers a tool of the program. */
export function offeredAs(request, name) {
  return request.tools.find((tool) => tool === name || tool.endsWith(`__${name}`));
}

/** A command of the CLI's own tool. */
export function bash(command) {
  return toolUse("Bash", { command, description: "runs" });
}

/** The content blocks of all messages of a request, with the role of their message. */
export function blocksOf(request) {
  return request.body.messages.flatMap(({ role, content }) =>
    typeof content === "string"
      ? [{ role, type: "text", text: content }]
      : content.map((block) => ({ role, ...block })),
  );
}

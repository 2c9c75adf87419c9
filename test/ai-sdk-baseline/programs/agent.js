import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { generateText, streamText } from "ai";
import { observe, quoted } from "../support/observe.js";
import { bash } from "../support/replies.js";

const NOTE = "echo run >> runs.txt";

export const AGENT = {
  "cli-tool": {
    title: "a tool of the CLI is shown with its result, and is not `invalid`",
    replies: () => [bash("echo bowline"), "You have a bowline."],
    async run({ agent }) {
      const parts = [];
      const { fullStream } = streamText({
        model: agent({ allowedTools: ["Bash(echo *)"] }),
        prompt: "Which knots do I have?",
      });
      for await (const part of fullStream) parts.push(part);
      const call = parts.find(({ type }) => type === "tool-call");
      observe(call?.toolName === "Bash", () => "no call of `Bash` in the stream");
      observe(!call.invalid, () => `the call is \`invalid\`: ${quoted(call.error)}`);
      const result = parts.find(({ type }) => type === "tool-result");
      observe(
        JSON.stringify(result?.output ?? "").includes("bowline"),
        () => `the result is ${quoted(JSON.stringify(result?.output))}`,
      );
    },
  },

  approvals: {
    title:
      "a permission question is a `tool-approval-request`; a denied call does not run, an allowed one runs once",
    replies: () => [bash(NOTE), "Then not.", bash(NOTE), "Done."],
    async run({ agent, cwd }) {
      const model = agent();
      const messages = [];
      await decide({ model, cwd, messages }, "Run it.", false);
      observe(runsIn(cwd) === 0, () => "the denied call ran");
      const text = await decide({ model, cwd, messages }, "Try again.", true);
      observe(runsIn(cwd) === 1, () => `the allowed call ran ${runsIn(cwd)} times`);
      observe(text === "Done.", () => `the text is ${quoted(text)}`);
    },
    others: {
      claudeCode: {
        by: "`canUseTool`",
        async run({ agent, cwd }) {
          const asked = [];
          const withAnswer = (behavior) => {
            const canUseTool = async (name, input) => {
              asked.push(name);
              return behavior === "allow"
                ? { behavior, updatedInput: input }
                : { behavior, message: "Not now." };
            };
            return agent({ canUseTool });
          };
          await generateText({ model: withAnswer("deny"), prompt: "Run it." });
          observe(runsIn(cwd) === 0, () => "the denied call ran");
          await generateText({ model: withAnswer("allow"), prompt: "Try again." });
          observe(asked.length === 2, () => `the function was asked ${asked.length} times`);
          observe(runsIn(cwd) === 1, () => `the allowed call ran ${runsIn(cwd)} times`);
          return "a function decides while the call waits; the denied call does not run, the allowed one runs once";
        },
      },
    },
  },
};

/** Says something, answers the permission question, and resolves to the text after that. */
async function decide({ model, cwd, messages }, prompt, approved) {
  messages.push({ role: "user", content: prompt });
  const first = await generateText({ model, messages });
  messages.push(...first.responseMessages);
  const question = first.content.find(({ type }) => type === "tool-approval-request");
  observe(
    question !== undefined,
    () => `no question; the CLI ${runsIn(cwd) === 0 ? "refuses the call itself" : "runs the call"}`,
  );
  const { approvalId } = question;
  messages.push({
    role: "tool",
    content: [{ type: "tool-approval-response", approvalId, approved, providerExecuted: true }],
  });
  const { text, responseMessages } = await generateText({ model, messages });
  messages.push(...responseMessages);
  return text;
}

function runsIn(cwd) {
  const file = join(cwd, "runs.txt");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean).length : 0;
}

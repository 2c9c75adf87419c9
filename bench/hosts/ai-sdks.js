// The providers of the AI SDK that the bench compares: the same program with another model. host.js runs them, as it
// runs the competitors.
import { pathToFileURL } from "node:url";
import { DIST } from "../../tools/dist.js";
import { hawser, officialOptions, settled, systemPrompt } from "./competitors.js";

export const AI_SDKS = {
  aiSdk: {
    label: "@hawser/ai-sdk",
    async open({ cli, cwd, env }) {
      const { createHawser } = await import(aiSdkModule());
      const { createPool } = await hawser();
      const pool = createPool({ size: { min: 0, max: 1 } });
      const provider = createHawser({ pool, cliPath: cli, cwd, env, inheritEnv: false });
      const model = provider("sonnet");
      return {
        stream: () => timedStream(model),
        after: () => settled(pool, "recycled"),
        close: () => pool.close(),
      };
    },
  },

  aiSdkClaudeCode: {
    label: "ai-sdk-provider-claude-code",
    endsProcess: true,
    async open(place) {
      const { createClaudeCode } = await import(OTHER_PROVIDER);
      const { systemPrompt: _, ...settings } = officialOptions(place);
      const provider = createClaudeCode();
      // A new model for each call, because a model resumes its last session, and here nothing is kept on disk.
      return { stream: () => timedStream(provider("sonnet", settings)) };
    },
  },
};

/** A name in a variable, because the package and its types are installed for benchmarks only. */
const OTHER_PROVIDER = "ai-sdk-provider-claude-code";

/** One `streamText()`: the time until the first piece of the text, and until the end. */
async function timedStream(model) {
  const { streamText } = await import("ai");
  const calledAt = performance.now();
  let firstMs;
  const result = streamText({
    model,
    instructions: systemPrompt(),
    prompt: "Where is it?",
    maxRetries: 0,
  });
  let text = "";
  for await (const piece of result.textStream) {
    firstMs ??= performance.now() - calledAt;
    text += piece;
  }
  await result.usage;
  return { firstMs, wholeMs: performance.now() - calledAt, text };
}

function aiSdkModule() {
  return pathToFileURL(`${DIST}/../../ai-sdk/dist/index.js`).href;
}

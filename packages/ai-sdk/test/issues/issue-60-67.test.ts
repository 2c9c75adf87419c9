import { generateText, streamText } from "ai";
import { type Action, fakeCli } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { createHawser } from "../../src/index.js";

const HALF = '{"type":"result","subtype":"success","is_error":false,"result":"A bowl';

async function answer(does: readonly Action[]) {
  await using cli = await fakeCli({ steps: [{ on: "user", do: does }] });
  await using hawser = createHawser({ cliPath: cli.path });
  return await generateText({ model: hawser("sonnet"), prompt: "Name a knot.", maxRetries: 0 });
}

// Truncated JSON lines were taken for answers (#60), and then whole answers for truncated ones (#67).
describe("ai-sdk-provider-claude-code #60 and #67", () => {
  it("does not take half a line for an answer", async () => {
    await expect(answer([{ init: {} }, { write: HALF }, { exit: 0 }])).rejects.toMatchObject({
      name: "AI_APICallError",
      cause: { code: "protocol_error" },
    });
  });

  it("does not take an assistant message without a result for an answer", async () => {
    const half = [{ init: {} }, { assistant: "A bowl" }, { exit: 0 }] as const;
    await expect(answer(half)).rejects.toMatchObject({ cause: { code: "process_exited" } });
  });

  it("takes a whole answer, also if it looks cut and the process then fails", async () => {
    const { text } = await answer([{ turn: '{"knot": "bowl' }, { exit: 1 }]);
    expect(text).toBe('{"knot": "bowl');
  });

  it("reports a stream that breaks off as an error, with what was said so far", async () => {
    await using cli = await fakeCli({
      steps: [
        { on: "user", do: [{ init: {} }, { assistant: "A bowl" }, { write: HALF }, { exit: 1 }] },
      ],
    });
    await using hawser = createHawser({ cliPath: cli.path });
    const errors: unknown[] = [];
    const result = streamText({
      model: hawser("sonnet"),
      prompt: "Name a knot.",
      onError: ({ error }) => void errors.push(error),
    });
    await result.consumeStream();
    expect(errors).toMatchObject([{ cause: { code: "process_exited" } }]);
    expect(await result.text).toBe("A bowl");
    expect(await result.finishReason).toBe("error");
  });
});

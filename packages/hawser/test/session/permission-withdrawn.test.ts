import { describe, expect, it } from "vitest";
import type { Action } from "../../src/testing/index.js";
import { open } from "./fake.helper.js";

const question = (command: string): Action => ({
  emit: {
    type: "control_request",
    request_id: "r1",
    request: { subtype: "can_use_tool", tool_name: "Bash", tool_use_id: "t1", input: { command } },
  },
});

describe("canUseTool", () => {
  it("answers a question that was withdrawn and asked again under the same id", async () => {
    const withdrawn: Action = { emit: { type: "control_cancel_request", request_id: "r1" } };
    let release = () => {};
    const aborted: string[] = [];
    const { session, cli } = await open(
      [
        { on: "user", do: [question("first"), withdrawn, question("second")] },
        { on: "response", do: [{ turn: "done" }] },
      ],
      {
        canUseTool: async (_, { command }, { signal }) => {
          signal.addEventListener("abort", () => void aborted.push(String(command)));
          if (signal.aborted) aborted.push(String(command));
          // The first question is still being thought about when the second one is answered.
          if (command === "first") await new Promise<void>((resolve) => (release = resolve));
          return { behavior: command === "first" ? "allow" : "deny", message: "no" };
        },
      },
    );
    expect(await session.send("go").text()).toBe("done");
    release();
    await session.close();
    const [process] = (await cli.recorded()).slice(-1);
    const answers = (process?.lines ?? [])
      .map((line) => JSON.parse(line))
      .filter(({ type, response }) => type === "control_response" && response.request_id === "r1");
    expect(answers.map(({ response }) => response.response.behavior)).toEqual(["deny"]);
    expect(aborted).toEqual(["first"]);
  });
});

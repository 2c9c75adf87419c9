import { describe, expect, it } from "vitest";
import { type RecordedRequest, SimulatedModel } from "../../src/testing/index.js";
import { HELLO, post, said } from "./http-client.helper.js";

describe("SimulatedModel request", () => {
  it("is recorded with masked credentials", async () => {
    await using model = await SimulatedModel.start({ replies: ["ok"] });
    const body = {
      model: "claude-x",
      stream: true,
      max_tokens: 100,
      system: [
        { type: "text", text: "Be kind." },
        { type: "text", text: "Be brief." },
      ],
      tools: [{ name: "Bash" }, { name: "Read" }],
      messages: [
        { role: "user", content: "before" },
        { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "Bash" }] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_1", content: "out", is_error: true },
            { type: "text", text: "<system-reminder>not the user's</system-reminder>" },
            { type: "text", text: "go on" },
          ],
        },
        { role: "system", content: "a note" },
      ],
    };
    const before = Date.now();
    await fetch(`${model.url}/v1/messages?beta=true`, {
      method: "POST",
      headers: { authorization: "Bearer secret-token", "x-api-key": "secret-key", "x-app": "cli" },
      body: JSON.stringify(body),
    });
    const [request] = model.requests;
    const { headers, arrivedAt, ...rest } = request as RecordedRequest;
    expect(rest).toEqual({
      number: 1,
      kind: "call",
      method: "POST",
      path: "/v1/messages",
      query: "beta=true",
      body,
      model: "claude-x",
      stream: true,
      system: "Be kind.\nBe brief.",
      prompt: "go on",
      toolResults: [{ toolUseId: "toolu_1", text: "out", isError: true }],
      tools: ["Bash", "Read"],
    });
    expect(headers).toMatchObject({
      authorization: "Bearer ***",
      "x-api-key": "***",
      "x-app": "cli",
    });
    expect(arrivedAt).toBeGreaterThanOrEqual(before);
    expect(arrivedAt).toBeLessThanOrEqual(Date.now());
  });

  it("can be awaited by waitFor(), which rejects on close()", async () => {
    const model = await SimulatedModel.start({ replies: ["ok"] });
    const second = model.waitFor((request) => request.number === 2);
    const first = model.waitFor((request) => request.number === 1);
    await post(model);
    expect(await first).toBe(model.requests[0]);
    expect(await model.waitFor((request) => request.number === 1)).toBe(model.requests[0]);
    await model.close();
    await expect(second).rejects.toThrow("closed before the awaited request arrived");
    await expect(model.waitFor(() => false)).rejects.toThrow("closed before");
  });

  it("that is no model call uses no reply: token counts, probes, unknown paths, bad bodies", async () => {
    await using model = await SimulatedModel.start({ countTokens: () => 42 });
    expect(await (await post(model, {}, "/v1/messages/count_tokens")).json()).toEqual({
      input_tokens: 42,
    });
    expect((await fetch(`${model.url}/api/hello`, { method: "HEAD" })).status).toBe(200);
    expect((await fetch(`${model.url}/v1/models`)).status).toBe(404);
    expect((await post(model, "not json")).status).toBe(400);
    expect(model.calls).toEqual([]);
    expect(model.requests.map((request) => [request.number, request.kind])).toEqual([
      [1, "count_tokens"],
      [2, "other"],
      [3, "other"],
      [4, "other"],
    ]);
    model.assertDone();
  });

  it("counts a quarter of its bytes as tokens by default", async () => {
    await using model = await SimulatedModel.start();
    const expected = Math.ceil(JSON.stringify(HELLO).length / 4);
    expect(await (await post(model, {}, "/v1/messages/count_tokens")).json()).toEqual({
      input_tokens: expected,
    });
  });

  it("that the CLI makes on its own uses no reply", async () => {
    await using model = await SimulatedModel.start({ auxiliary: { suggestion: "run the tests" } });
    const titleFormat = {
      type: "json_schema",
      schema: { type: "object", properties: { title: { type: "string" } } },
    };
    const answers = [
      await said(model, { max_tokens: 1, messages: [{ role: "user", content: "quota" }] }),
      await said(model, { system: "Generate a title.", output_config: { format: titleFormat } }),
      await said(model, {
        messages: [{ role: "user", content: "[SUGGESTION MODE: Suggest what]" }],
      }),
      await said(model, {
        messages: [
          {
            role: "user",
            content: "Describe your most recent action in 3-5 words using present tense (-ing).",
          },
        ],
      }),
    ];
    expect(answers).toEqual([
      "ok",
      '{"title":"Simulated session"}',
      "run the tests",
      "Working on it",
    ]);
    expect(model.requests.map((request) => request.auxiliary)).toEqual([
      "probe",
      "title",
      "suggestion",
      "agent_summary",
    ]);
    expect(model.calls).toEqual([]);
  });
});

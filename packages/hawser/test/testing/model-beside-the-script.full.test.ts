import { describe, expect, it } from "vitest";
import {
  isolatedEnv,
  rateLimitHeaders,
  reply,
  SimulatedModel,
  usageLimit,
} from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { CliProcess, STREAM_JSON } from "./cli-process.helper.js";

describe.each(clisInTurn())("SimulatedModel with the real CLI $name", ({ name, path }) => {
  it("causes rate_limit_event with resetsAt for an OAuth token", async () => {
    const soon = new Date(Math.floor(Date.now() / 1000) * 1000 + 3_600_000);
    const warning = { status: "allowed_warning", resetsAt: soon, utilization: 0.9 } as const;
    await using model = await SimulatedModel.start({
      replies: [
        reply("fine", { headers: rateLimitHeaders({ ...warning, surpassedThreshold: 0.75 }) }),
        usageLimit({ resetsAt: soon }),
      ],
    });
    await using world = await isolatedEnv({ baseUrl: model.url, oauthToken: "dummy-token" });
    await using cli = new CliProcess(path, [...STREAM_JSON, "--tools="], world);
    const limits = async () => {
      const lines = await cli.turn("go");
      return lines
        .filter((line) => line["type"] === "rate_limit_event")
        .map((line) => line["rate_limit_info"]);
    };
    const resetsAt = soon.getTime() / 1000;
    expect(await limits()).toEqual([
      expect.objectContaining({
        status: "allowed_warning",
        resetsAt,
        rateLimitType: "five_hour",
        utilization: 0.9,
      }),
    ]);
    expect(await limits()).toEqual([
      expect.objectContaining({ status: "rejected", resetsAt, rateLimitType: "five_hour" }),
    ]);
    expect(cli.lines.at(-1)).toMatchObject({ is_error: true, api_error_status: 429 });
    expect(await cli.end()).toEqual({ code: 1, signal: null });
    expect(model.calls[0]?.headers["authorization"]).toBe("Bearer ***");
    model.assertDone();
  });

  it("reports a call without a scripted reply once, and close() rejects", async () => {
    const model = await SimulatedModel.start({ replies: ["first"] });
    await using world = await isolatedEnv({ baseUrl: model.url });
    await using cli = new CliProcess(path, [...STREAM_JSON, "--tools="], world);
    await cli.turn("one");
    const problem =
      /SimulatedModel: No reply is scripted for request \d+ \(POST \/v1\/messages, prompt "two"\)/;
    expect((await cli.turn("two")).at(-1)).toMatchObject({
      is_error: true,
      result: expect.stringMatching(problem),
    });
    expect(model.calls).toHaveLength(2);
    await cli.end();
    await expect(model.close()).rejects.toThrow(problem);
  });

  it("uses no scripted reply for titles, suggestions and token counts", async () => {
    await using model = await SimulatedModel.start({
      replies: ["one", "two", "three"],
      auxiliary: { suggestion: "and four" },
    });
    await using world = await isolatedEnv({
      baseUrl: model.url,
      extra: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: undefined },
    });
    await using cli = new CliProcess(path, STREAM_JSON, world);
    const ask = (id: string, request: object) => {
      cli.send({ type: "control_request", request_id: id, request });
      return cli.line((line) => (line["response"] as { request_id?: string })?.request_id === id);
    };
    await ask("hello", { subtype: "initialize", promptSuggestions: true });
    for (const said of ["one", "two", "three"]) {
      const lines = await cli.turn("tell me a story about a dog");
      expect(lines.at(-1)).toMatchObject({ result: said });
    }
    const suggestion = await cli.line((line) => line["type"] === "prompt_suggestion");
    expect(suggestion).toMatchObject({ suggestion: "and four" });
    await ask("usage", { subtype: "get_context_usage", detail: "full" });
    const expected = name === "2.1.197" ? ["suggestion", "title"] : ["suggestion"];
    for (const kind of expected) await model.waitFor((request) => request.auxiliary === kind);
    await cli.end();

    model.assertDone();
    const auxiliary = new Set(model.requests.flatMap((request) => request.auxiliary ?? []));
    expect([...auxiliary].sort()).toEqual(expected);
    expect(model.requests.some((request) => request.kind === "count_tokens")).toBe(true);
  });
});

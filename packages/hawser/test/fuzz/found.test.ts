import { describe, expect, it } from "vitest";
import { isHawserError } from "../../src/base/index.js";
import { buildInvocation, type Options } from "../../src/options/index.js";
import { openSession, type Session } from "../../src/session/index.js";
import { failure, openLine } from "../control/line.helper.js";
import { HOST, NEWEST } from "../options/facts.helper.js";
import { HOSTILE } from "./mutate.helper.js";
import { acknowledged, type HostLine, Peer } from "./peer.helper.js";

/** Defects that random input has found, each in its smallest form. */

const INIT = { type: "system", subtype: "init", session_id: "s", model: "m", mcp_servers: [] };
const RESULT = {
  type: "result",
  subtype: "success",
  is_error: false,
  result: "good",
  session_id: "s",
  num_turns: 1,
};

/** A session whose CLI prints the first lines for the first prompt, and the next lines for the second. */
async function open(
  turns: readonly (readonly object[])[],
  options: Options = {},
): Promise<{ session: Session; peer: Peer }> {
  const left = [...turns];
  const peer = new Peer(({ type, request_id }: HostLine) => {
    if (type === "control_request") return [acknowledged(request_id)];
    return type === "user" ? (left.shift() ?? []).map((line) => JSON.stringify(line)) : [];
  });
  return { session: await openSession({ ...peer.options, ...options }), peer };
}

describe("error of the CLI that is no string", () => {
  it.each([[HOSTILE], [7], [null], [{ toString: null }]])(
    "%j settles the request",
    async (error) => {
      const line = await openLine();
      const answer = line.control
        .request({ subtype: "get_settings" })
        .catch((thrown: unknown) => thrown);
      const [sent] = await line.sentUpTo(1);
      line.say(failure(sent?.request_id, { error }));
      expect(isHawserError(await answer, "control_error")).toBe(true);
      expect(line.corrupt).toEqual([]);
    },
  );

  it.each([
    { result: 7 },
    { result: HOSTILE },
    { terminal_reason: HOSTILE },
    { result: undefined, errors: [HOSTILE] },
    { result: undefined, subtype: HOSTILE },
    { api_error_status: HOSTILE },
  ])("%j in a result settles the turn", async (fields) => {
    const { session } = await open([[INIT, { ...RESULT, is_error: true, ...fields }]]);
    const turn = session.send("go");
    const thrown = await turn.text().catch((error: unknown) => error);
    expect(isHawserError(thrown)).toBe(true);
    await session.close();
  });
});

describe("permission request without a valid tool call", () => {
  it.each([
    { tool_name: null },
    { tool_name: "" },
    { tool_name: {} },
    { input: "x" },
    { input: [] },
  ])("%j is denied without a call of canUseTool", async (fields) => {
    const asked: unknown[] = [];
    const { session, peer } = await open([], {
      canUseTool: async (name) => {
        asked.push(name);
        return { behavior: "allow" };
      },
    });
    const request = { subtype: "can_use_tool", tool_name: "Bash", input: {}, tool_use_id: "t" };
    const line = { type: "control_request", request_id: "q", request: { ...request, ...fields } };
    peer.print([JSON.stringify(line)]);
    await peer.until((sent) => sent.some(({ response }) => response?.request_id === "q"));
    const answer = peer.sent.find(({ response }) => response?.request_id === "q");
    expect(answer).toMatchObject({ response: { response: { behavior: "deny" } } });
    expect(asked).toEqual([]);
    await session.close();
  });
});

describe("malformed field beside the answer", () => {
  it.each([
    { modelUsage: { m: null } },
    { modelUsage: { m: 7 } },
    { modelUsage: { m: { inputTokens: HOSTILE } } },
    { model_usage_since_last_result: { m: null } },
    { model_usage_since_last_result: { m: { costUSD: HOSTILE } } },
  ])("%j affects neither this result nor the next", async (fields) => {
    const good = { ...RESULT, modelUsage: { m: { inputTokens: 1, outputTokens: 1, costUSD: 1 } } };
    const { session } = await open([
      [INIT, { ...RESULT, ...fields }],
      [INIT, good],
    ]);
    await expect(session.send("one").text()).resolves.toBe("good");
    await expect(session.send("two").text()).resolves.toBe("good");
    await session.close();
  });

  it.each([
    { ...INIT, mcp_servers: 7 },
    { ...INIT, mcp_servers: [null] },
    { type: "system", subtype: "background_tasks_changed", tasks: 7 },
    { type: "system", subtype: "background_tasks_changed", tasks: [null] },
  ])("%j does not end the session", async (line) => {
    const { session } = await open([
      [line, INIT, RESULT],
      [INIT, RESULT],
    ]);
    await expect(session.send("one").text()).resolves.toBe("good");
    await expect(session.send("two").text()).resolves.toBe("good");
    await session.close();
  });

  it("init with an mcp_servers entry that is no object is passed on", async () => {
    const init = { ...INIT, mcp_servers: [null, 7, { name: "a", status: "connected" }] };
    const { session } = await open([[init, RESULT]]);
    const messages: unknown[] = [];
    for await (const message of session.send("one")) messages.push(message);
    expect(messages[0]).toMatchObject(init);
    await session.close();
  });
});

describe("option with a getter that changes its value", () => {
  it("is read once, so that the checked value is the sent value", () => {
    let reads = 0;
    const options: Options = {
      get model() {
        reads += 1;
        return reads === 1 ? "sonnet" : "a\0b";
      },
    };
    expect(buildInvocation(options, NEWEST, HOST).argv).toContain("--model=sonnet");
  });
});

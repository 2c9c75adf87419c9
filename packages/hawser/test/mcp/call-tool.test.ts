import { describe, expect, it } from "vitest";
import { z } from "zod";
import { isHawserError } from "../../src/base/index.js";
import {
  type CallToolResult,
  createSdkMcpServer,
  type ToolExtra,
  tool,
} from "../../src/mcp/index.js";
import { type Client, client, failed, initialized, said } from "./client.helper.js";

type Handler = (args: Record<string, unknown>, extra: ToolExtra) => Promise<CallToolResult>;

/** A client of a server whose only tool, `it`, has this handler. */
async function calling(handler: Handler): Promise<Client> {
  const tools = [tool("it", "", { type: "object" }, handler)];
  return initialized(createSdkMcpServer({ name: "srv", tools }).instance);
}

describe("a tool handler", () => {
  it("gets its arguments with defaults and transforms, without undeclared arguments", async () => {
    const shape = {
      a: z.coerce.number().transform((value) => value + 1),
      b: z.string().default("there"),
      c: z.string().optional(),
    };
    const tools = [tool("t", "", shape, async (args) => said(JSON.stringify(args)))];
    const { call } = await initialized(createSdkMcpServer({ name: "srv", tools }).instance);
    expect(await call("t", { a: "41", z: 1 })).toEqual(said('{"a":42,"b":"there"}'));
  });

  it("is not called with invalid arguments, and the model gets all issues", async () => {
    const shape = { a: z.number(), b: z.array(z.string()), c: z.string().optional() };
    const seen: unknown[] = [];
    const tools = [
      tool("t", "", shape, async (args) => {
        seen.push(args);
        return said("");
      }),
    ];
    const { call } = await initialized(createSdkMcpServer({ name: "srv", tools }).instance);
    const issues = [
      {
        expected: "number",
        code: "invalid_type",
        path: ["a"],
        message: "Invalid input: expected number, received undefined",
      },
      {
        expected: "string",
        code: "invalid_type",
        path: ["b", 0],
        message: "Invalid input: expected string, received number",
      },
    ];
    expect(await call("t", { b: [1] })).toEqual(
      failed(
        `MCP error -32602: Input validation error: Invalid arguments for tool t: ${JSON.stringify(issues, null, 2)}`,
      ),
    );
    expect(seen).toEqual([]);
  });

  it("gets an empty object if the call has no arguments", async () => {
    const { request } = await calling(async (args) => said(JSON.stringify(args)));
    expect((await request("tools/call", { name: "it" }))?.result).toEqual(said("{}"));
  });

  it("gives an error result with the message if it throws", async () => {
    const thrown: unknown[] = [new Error("bang"), "a text", new TypeError("two")];
    const { call } = await calling(async () => {
      throw thrown.shift();
    });
    expect(await call("it")).toEqual(failed("bang"));
    expect(await call("it")).toEqual(failed("a text"));
    expect(await call("it")).toEqual(failed("two"));
  });

  it("may return images, audio, resources, links and structuredContent unchanged", async () => {
    const result: CallToolResult = {
      content: [
        { type: "text", text: "see", annotations: { audience: ["user"], priority: 1 } },
        { type: "image", data: "aGk=", mimeType: "image/png" },
        { type: "audio", data: "aGk=", mimeType: "audio/wav" },
        { type: "resource", resource: { uri: "file:///a", text: "a", mimeType: "text/plain" } },
        { type: "resource", resource: { uri: "file:///b", blob: "aGk=" } },
        { type: "resource_link", uri: "file:///c", name: "c" },
      ],
      structuredContent: { deep: [{ a: 1 }] },
      isError: false,
      _meta: { trace: "x" },
    };
    const { call } = await calling(async () => result);
    expect(await call("it")).toEqual(result);
  });

  it("may return a result without content", async () => {
    const { call } = await calling(async () => ({ structuredContent: { a: 1 } }) as never);
    expect(await call("it")).toEqual({ content: [], structuredContent: { a: 1 } });
  });

  it.each([
    [undefined, "undefined, not a result"],
    [null, "null, not a result"],
    ["text", "string, not a result"],
    [[{ type: "text", text: "x" }], "a list, not a result"],
    [{ content: "text" }, "a result whose content is not a list"],
    [{ content: [{ type: "text" }] }, "a result whose content[0] is not valid"],
    [{ content: [{ type: "image", data: "a" }] }, "a result whose content[0] is not valid"],
    [{ content: [], structuredContent: { a: 1n } }, "a result that cannot be written as JSON"],
  ])("gives an error result that names the problem if it returns %o", async (value, problem) => {
    const { call } = await calling(async () => value as never);
    expect(await call("it")).toEqual(failed(`The tool it returned ${problem}.`));
  });

  it("gets requestId and _meta of its call", async () => {
    const { call } = await calling(async (_args, { requestId, _meta }) =>
      said(JSON.stringify({ requestId, _meta })),
    );
    const meta = { "claudecode/toolUseId": "toolu_1", progressToken: 2 };
    expect(await call("it", {}, meta)).toEqual(said(JSON.stringify({ requestId: 1, _meta: meta })));
  });

  it("reports progress only to a call that has a progressToken", async () => {
    const { call, sent } = await calling(async (_args, extra) => {
      await extra.sendProgress({ progress: 1, total: 2, message: "half" });
      await extra.sendNotification({ method: "notifications/message", params: { data: "x" } });
      return said("");
    });
    const log = { jsonrpc: "2.0", method: "notifications/message", params: { data: "x" } };
    await call("it", {}, { progressToken: "p" });
    await call("it");
    expect(sent).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: "p", progress: 1, total: 2, message: "half" },
      },
      log,
      log,
    ]);
  });

  it("cannot send requests to the client", async () => {
    const { call } = await calling(async (_args, extra) => {
      const error = await extra.sendRequest({ method: "roots/list" }).catch((reason) => reason);
      return said(String(isHawserError(error, "not_supported")));
    });
    expect(await call("it")).toEqual(said("true"));
  });
});

describe("overlapping tool calls", () => {
  it("run at the same time, and each call gets its own answer", async () => {
    const waiting: (() => void)[] = [];
    const { call } = await calling((args) => {
      return new Promise((resolve) => {
        waiting.push(() => resolve(said(String(args["n"]))));
        // Answers all calls after the last one has arrived, in reverse order.
        if (waiting.length === 20) for (const answer of waiting.toReversed()) answer();
      });
    });
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    const answers = await Promise.all(numbers.map((n) => call("it", { n })));
    expect(answers).toEqual(numbers.map((n) => said(String(n))));
  });

  it("can be cancelled one by one, and a cancelled call has no reply", async () => {
    const signals: AbortSignal[] = [];
    const finish: (() => void)[] = [];
    const { call, notify } = await calling((_args, { signal }) => {
      signals.push(signal);
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve(said("too late")));
        finish.push(() => resolve(said("done")));
      });
    });
    const calls = [call("it"), call("it")];
    await expect.poll(() => signals.length).toBe(2);
    await notify("notifications/cancelled", { requestId: 1, reason: "interrupted" });
    expect(await calls[0]).toBeUndefined();
    expect(signals.map((signal) => signal.aborted)).toEqual([true, false]);
    expect(signals[0]?.reason).toMatchObject({
      code: "aborted",
      message: "The call was cancelled: interrupted",
      reason: "interrupted",
    });
    finish[1]?.();
    expect(await calls[1]).toEqual(said("done"));
    await notify("notifications/cancelled", { requestId: 99 });
  });

  it("are aborted when the link closes, and their callers get an error", async () => {
    let signal: AbortSignal | undefined;
    const made = await calling((_args, extra) => {
      signal = extra.signal;
      return new Promise(() => {});
    });
    const call = made.call("it");
    const rejected = expect(call).rejects.toMatchObject({ code: "closed" });
    await expect.poll(() => signal).toBeDefined();
    await made.link.close();
    await made.link.close();
    await rejected;
    expect(signal?.reason).toMatchObject({ code: "closed" });
    await expect(made.request("ping")).rejects.toMatchObject({ code: "closed" });
  });

  it("get their own replies although the client uses an id again", async () => {
    const finish = new Map<unknown, () => void>();
    const tools = [
      tool("it", "", { type: "object" }, (args) => {
        return new Promise((resolve) => {
          finish.set(args["n"], () => resolve(said(String(args["n"]))));
        });
      }),
    ];
    const { link } = await client(createSdkMcpServer({ name: "srv", tools }).instance);
    const ask = (n: number) =>
      link.receive({
        jsonrpc: "2.0",
        id: 7,
        method: "tools/call",
        params: { name: "it", arguments: { n } },
      });
    const [old, young] = [ask(1), ask(2)];
    await expect.poll(() => finish.size).toBe(2);
    finish.get(1)?.();
    finish.get(2)?.();
    expect(await old).toEqual({ jsonrpc: "2.0", id: 7, result: said("1") });
    expect(await young).toEqual({ jsonrpc: "2.0", id: 7, result: said("2") });
  });
});

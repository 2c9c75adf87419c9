import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { generateText, readUIMessageStream, streamText, tool, type UIMessage } from "ai";
import { reply, toolUse } from "hawser/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { Conversation } from "../agent/conversation.helper.js";
import { aiWorld } from "../support/ai-world.js";

const world = aiWorld({ pool: { size: { min: 1, max: 3 } } });
const bash = (command: string) => toolUse("Bash", { command, description: "runs" });

/** Issues of ai-sdk-provider-claude-code. */
describe("issues that users of another provider reported", () => {
  it("#36: intermediate tool calls are visible, in a stream and as a whole", async () => {
    world.script(bash("echo 1"), bash("echo 2"), "Done.", bash("echo 3"), "Done.");
    const model = world.checked(world.hawser.agent("sonnet", { allowedTools: ["Bash"] }));
    const { parts } = await new Conversation(model).say("Go.");
    const seen = parts.filter(({ type }) => type === "tool-call" || type === "tool-result");
    expect(seen.map(({ type }) => type)).toEqual([
      "tool-call",
      "tool-result",
      "tool-call",
      "tool-result",
    ]);
    const whole = await generateText({ model, prompt: "Go." });
    expect(whole.content.map(({ type }) => type)).toEqual(["tool-call", "tool-result", "text"]);
  });

  it("#63: no tool of the CLI is an invalid call, with tools of the program or without", async () => {
    world.script(bash("echo 1"), toolUse("Read", { file_path: "/nowhere" }), "Done.");
    const model = world.checked(world.hawser.agent("sonnet", { allowedTools: ["Bash", "Read"] }));
    const other = tool({ inputSchema: z.object({}), execute: async () => "other" });
    const result = await generateText({ model, prompt: "Go.", tools: { other } });
    expect(result.toolCalls.map(({ toolName }) => toolName)).toEqual(["Bash", "Read"]);
    for (const call of result.toolCalls) expect(call.invalid).toBeUndefined();
    // A tool that failed is an error of that tool, not of the AI SDK.
    const [, failed] = result.content.filter((part) => /tool-(result|error)/.test(part.type));
    expect(failed).toMatchObject({ type: "tool-error", toolName: "Read", providerExecuted: true });
  });

  it("#99: a result of megabytes is cut with a marker, on the page too, and the model gets all of it", async () => {
    const large = "seq 1 3000 | sed 's/$/ knots are on this line of the long list/'";
    world.script(bash(large), "Long.");
    const model = world.hawser.agent("sonnet", { allowedTools: ["Bash"], maxResultChars: 500 });
    const result = streamText({ model: world.checked(model), prompt: "List." });
    let message: UIMessage | undefined;
    const ui = result.toUIMessageStream();
    for await (const each of readUIMessageStream({ stream: ui })) message = each;
    const [part] = message?.parts.filter(({ type }) => type === "dynamic-tool") ?? [];
    expect(part).toMatchObject({ state: "output-available" });
    const { output, resultProviderMetadata } = part as unknown as {
      output: string;
      resultProviderMetadata: { hawser: { omittedChars: number } };
    };
    expect(output.length).toBeLessThan(700);
    const { omittedChars } = resultProviderMetadata.hawser;
    expect(output).toContain(`[… ${omittedChars} characters are not shown.`);
    const given = world.calls[1]?.toolResults[0]?.text.length ?? 0;
    expect(given).toBe(500 + omittedChars);
  });

  it("#113: an MCP server that needs a login is a warning of the call", async () => {
    const url = await serverThatNeedsLogin();
    const mcpServers = { tickets: { type: "http" as const, url } };
    world.script("No tickets.");
    const model = world.hawser.agent("sonnet", { mcpServers });
    const { warnings } = await generateText({ model, prompt: "Tickets?" });
    expect(warnings).toEqual([
      {
        type: "unsupported",
        feature: "MCP server tickets",
        details: expect.stringContaining("needs a login"),
      },
    ]);
  });

  it("#43: canUseTool is answered while the answer streams, and nothing hangs", async () => {
    const path = join(world.place.cwd, "asked.txt");
    world.script(
      reply(["I write.", toolUse("Write", { file_path: path, content: "hi" })]),
      "Done.",
    );
    const asked: string[] = [];
    const model = world.hawser.agent("sonnet", {
      canUseTool: async (tool, input) => {
        asked.push(tool);
        return { behavior: "allow", updatedInput: input };
      },
    });
    expect((await new Conversation(world.checked(model)).say("Write.")).text).toBe("I write.Done.");
    expect(asked).toEqual(["Write"]);
  });
});

/** An MCP server that names the place where a person can log in. */
async function serverThatNeedsLogin(): Promise<string> {
  const server = createServer(({ url = "", headers }, response) => {
    const origin = `http://${headers.host}`;
    const json = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (url.includes("oauth-protected-resource")) {
      json(200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
    } else if (url.includes("oauth-authorization-server")) {
      json(200, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
      });
    } else if (url === "/register") json(201, { client_id: "cli", redirect_uris: [] });
    else {
      const where = `${origin}/.well-known/oauth-protected-resource`;
      response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${where}"` }).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

import { NoSuchModelError } from "@ai-sdk/provider";
import { createProviderRegistry, generateText } from "ai";
import { createPool } from "hawser";
import { fakeCli } from "hawser/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHawser } from "../src/index.js";

let cli: Awaited<ReturnType<typeof fakeCli>>;
beforeAll(async () => {
  cli = await fakeCli({ steps: [{ on: "user", times: "always", do: [{ turn: "Ahoy." }] }] });
});
afterAll(() => cli.dispose());

describe("createHawser()", () => {
  it("is a provider of language models only", () => {
    const hawser = createHawser();
    expect(hawser("sonnet")).toMatchObject({
      specificationVersion: "v4",
      provider: "hawser",
      modelId: "sonnet",
      supportedUrls: {},
    });
    expect(hawser.languageModel("haiku").modelId).toBe("haiku");
    expect(() => hawser.embeddingModel("x")).toThrow(NoSuchModelError);
    expect(() => hawser.imageModel("x")).toThrow(NoSuchModelError);
  });

  it("makes a pool of its own at the first call, and closes it", async () => {
    const hawser = createHawser({ cliPath: cli.path });
    const { text } = await generateText({ model: hawser("sonnet"), prompt: "Hello." });
    expect(text).toBe("Ahoy.");
    await hawser.close();
    await hawser.close();
    const late = generateText({ model: hawser("sonnet"), prompt: "Hello.", maxRetries: 0 });
    await expect(late).rejects.toMatchObject({ cause: { code: "pool_closed" } });
  });

  it("does not close a pool that it was given", async () => {
    await using pool = createPool();
    const hawser = createHawser({ cliPath: cli.path, pool });
    await generateText({ model: hawser("sonnet"), prompt: "Hello." });
    await hawser.close();
    expect((await pool.complete("Hello.", { cliPath: cli.path })).text).toBe("Ahoy.");
  });

  it("is closed by `await using`", async () => {
    let model: ReturnType<ReturnType<typeof createHawser>>;
    {
      await using hawser = createHawser({ cliPath: cli.path });
      model = hawser("sonnet");
    }
    const late = generateText({ model, prompt: "Hello.", maxRetries: 0 });
    await expect(late).rejects.toMatchObject({ cause: { code: "pool_closed" } });
  });

  it("works in a registry of providers", async () => {
    await using hawser = createHawser({ cliPath: cli.path });
    const registry = createProviderRegistry({ hawser });
    const { text } = await generateText({
      model: registry.languageModel("hawser:sonnet"),
      prompt: "Hello.",
    });
    expect(text).toBe("Ahoy.");
  });

  it.each([
    { settings: { allowedTools: ["Read"] }, message: /no setting `allowedTools`/ },
    { settings: { temprature: 1 }, message: /no setting `temprature`/ },
  ])("refuses $settings", ({ settings, message }) => {
    expect(() => createHawser(settings as never)).toThrow(message);
  });

  it("refuses poolOptions together with a pool", async () => {
    await using pool = createPool();
    expect(() => createHawser({ pool, poolOptions: {} })).toThrow(/both/);
  });
});

import { generateText } from "ai";
import { fakeCli } from "hawser/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createHawser, type HawserSettings } from "../../src/index.js";

afterEach(() => vi.unstubAllEnvs());

async function environmentWith(settings: HawserSettings) {
  await using cli = await fakeCli({ steps: [{ on: "user", do: [{ turn: "ok" }] }] });
  await using hawser = createHawser({ ...settings, cliPath: cli.path });
  await generateText({ model: hawser("sonnet"), prompt: "Hello." });
  const [started] = await cli.recorded();
  return started?.env ?? {};
}

// The whole environment of the program went to the CLI.
describe("ai-sdk-provider-claude-code #97", () => {
  it("passes on only the variables that inheritEnv lists, and those of env", async () => {
    vi.stubEnv("DATABASE_PASSWORD", "secret");
    const env = await environmentWith({ inheritEnv: ["PATH"], env: { LANG: "C" } });
    expect(env).not.toHaveProperty("DATABASE_PASSWORD");
    expect(env).toMatchObject({ PATH: process.env["PATH"], LANG: "C" });
  });

  it("passes on no variable with inheritEnv: false", async () => {
    vi.stubEnv("DATABASE_PASSWORD", "secret");
    const env = await environmentWith({ inheritEnv: false, env: { PATH: process.env["PATH"] } });
    expect(env).not.toHaveProperty("DATABASE_PASSWORD");
  });
});

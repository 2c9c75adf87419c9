import { generateText } from "ai";
import { describe, expect, it } from "vitest";
import { createHawser } from "../../src/index.js";

// On a machine without the CLI, such as a serverless platform, nothing said what was wrong.
describe("vercel/ai #7713", () => {
  it("says that the CLI is missing and how to install it, and does not try again", async () => {
    await using hawser = createHawser({ env: { PATH: "/nowhere" }, cliPath: "/nowhere/claude" });
    const call = generateText({ model: hawser("sonnet"), prompt: "Hello.", maxRetries: 2 });
    // After a retry, the error would be an AI_RetryError.
    await expect(call).rejects.toMatchObject({
      name: "AI_APICallError",
      isRetryable: false,
      message: expect.stringMatching(/\/nowhere\/claude/),
      cause: { code: "cli_not_found" },
    });
  });
});

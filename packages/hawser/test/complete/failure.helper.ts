import { expect } from "vitest";
import type { HawserError } from "../../src/base/index.js";
import { type CompleteOptions, complete } from "../../src/complete/index.js";
import { processes } from "../../src/process/index.js";

/** What a call fails with; then nothing of it is left. */
export async function failure(prompt: string, options: CompleteOptions): Promise<HawserError> {
  try {
    await complete(prompt, options);
  } catch (error) {
    expect(processes()).toEqual([]);
    return error as HawserError;
  }
  throw new Error("it did not fail");
}

import { expect } from "vitest";
import type { HawserError } from "../../src/base/index.js";
import { type CompleteOptions, complete } from "../../src/complete/index.js";
import { processes } from "../../src/process/index.js";

/** The error of a call that must fail, after a check that no process of it is left. */
export async function failure(prompt: string, options: CompleteOptions): Promise<HawserError> {
  try {
    await complete(prompt, options);
  } catch (error) {
    expect(processes()).toEqual([]);
    return error as HawserError;
  }
  throw new Error("it did not fail");
}

import { type HawserError, isHawserError } from "../../src/base/index.js";
import { type Options, validateOptions } from "../../src/options/index.js";

/** The error as its reader sees it. */
export function invalid(options: unknown): HawserError | undefined {
  try {
    validateOptions(options as Options);
    return undefined;
  } catch (error) {
    if (isHawserError(error, "invalid_options")) return error;
    throw error;
  }
}

export const messageOf = (options: unknown): string | undefined => invalid(options)?.message;

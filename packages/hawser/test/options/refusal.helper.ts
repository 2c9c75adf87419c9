import { type HawserError, isHawserError } from "../../src/base/index.js";
import {
  buildInvocation,
  type CliFacts,
  type HostFacts,
  type Options,
} from "../../src/options/index.js";
import { HOST, NEWEST } from "./facts.helper.js";

/** The error that building an invocation ends with; any other throw is a failure of the test. */
export function refusalOf(
  options: Options,
  cli: CliFacts = NEWEST,
  host: HostFacts = HOST,
): HawserError | undefined {
  try {
    buildInvocation(options, cli, host);
    return undefined;
  } catch (error) {
    if (isHawserError(error)) return error;
    throw error;
  }
}

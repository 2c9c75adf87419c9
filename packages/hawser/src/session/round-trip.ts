import { isHawserError } from "../base/index.js";
import type { SessionCore } from "./session-core.js";

/**
 * Resolves when the CLI has answered a request that changes nothing. The CLI keeps the order of its messages,
 * so it has read everything that was sent before, and nothing of that comes after the answer.
 */
export async function roundTrip(core: SessionCore): Promise<void> {
  await core.request({ subtype: "get_binary_version" }).catch((error: unknown) => {
    if (!isHawserError(error, "unsupported_by_cli") && !isHawserError(error, "control_error")) {
      throw error;
    }
  });
}

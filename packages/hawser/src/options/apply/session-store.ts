import { addFlag, type Draft } from "../invocation/draft.js";
import { namesCredential } from "../invocation/environment.js";
import { mayUse } from "../invocation/version-gate.js";
import type { OptionName } from "../options.js";

export function applySessionStore(draft: Draft, _: unknown, name: OptionName): void {
  checkLogin(draft);
  addFlag(draft, name, "--session-mirror");
}

/**
 * A session that is resumed from a store has a temporary configuration folder, which holds no
 * login. A variable tells the CLI where the user's login is. An older CLI ignores the variable and
 * would exit with "Not logged in".
 */
function checkLogin(draft: Draft): void {
  const { apiKey, oauthToken } = draft.options;
  if (draft.env.get("CLAUDE_SECURESTORAGE_CONFIG_DIR") === undefined) return;
  if (apiKey !== undefined || oauthToken !== undefined || namesCredential(draft.env)) return;
  mayUse(draft, FEATURE, "2.1.144", "the CLI does not find its login");
}

const FEATURE = "`sessionStore` with `resume`, without `apiKey` or `oauthToken`,";

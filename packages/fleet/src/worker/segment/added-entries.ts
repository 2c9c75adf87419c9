import { randomUUID } from "node:crypto";
import type { SessionStoreEntry } from "hawser";
import type { OpenCall, Transcript } from "./transcript.js";

/**
 * Entries that a host adds to a transcript before the CLI continues it, in the shape in which the CLI writes them
 * (2.1.197 and 2.1.325). Each names the entry before it as its parent.
 */
export class AddedEntries {
  readonly #like: SessionStoreEntry | undefined;
  readonly #entries: SessionStoreEntry[] = [];
  #last: string | undefined;

  constructor(transcript: Transcript) {
    this.#like = transcript.last;
    this.#last = transcript.last?.uuid;
  }

  get list(): SessionStoreEntry[] {
    return [...this.#entries];
  }

  /**
   * The result of a call that no CLI will report any more. Without it, an older CLI drops the call, and the model
   * does not know that it made it.
   */
  addResult({ toolUseId, entry }: OpenCall, text: string): void {
    this.#add({
      type: "user",
      parentUuid: entry,
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: toolUseId, is_error: true, content: text }],
      },
      toolUseResult: `Error: ${text}`,
      sourceToolAssistantUUID: entry,
    });
  }

  /**
   * The note with which the CLI itself marks a call that waits for an answer. A CLI that resumes the session begins
   * with this call.
   */
  addDeferral({ toolUseId, tool, input }: OpenCall): void {
    this.#add({
      type: "attachment",
      parentUuid: this.#last ?? null,
      attachment: {
        type: "hook_deferred_tool",
        toolUseID: toolUseId,
        toolName: tool,
        toolInput: input,
        hookName: "hawser",
        hookEvent: "PreToolUse",
        permissionMode: "default",
      },
    });
  }

  #add(entry: SessionStoreEntry): void {
    const uuid = randomUUID();
    this.#entries.push({
      ...commonFields(this.#like),
      isSidechain: false,
      ...entry,
      uuid,
      timestamp: new Date().toISOString(),
    });
    this.#last = uuid;
  }
}

function commonFields(like: SessionStoreEntry | undefined): Partial<SessionStoreEntry> {
  const names = ["userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch"];
  return Object.fromEntries(
    names.flatMap((name) => (like !== undefined && name in like ? [[name, like[name]]] : [])),
  );
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { CanUseTool, Options } from "../../src/options/index.js";
import { openSession, type Session } from "../../src/session/index.js";
import { type ReplyFunction, toolUse } from "../../src/testing/index.js";
import type { HookOutput } from "../../src/wire/index.js";
import { type World, world } from "../support/world.js";

export const bash = (command: string): ReturnType<typeof toolUse> =>
  toolUse("Bash", { command, description: "d" });

/** A PreToolUse hook that decides about Bash. */
export function bashHook(
  decide: (command: string) => "allow" | "ask" | "deny" | "defer",
): NonNullable<Options["hooks"]> {
  const hook = async (input: unknown): Promise<HookOutput> => {
    const { tool_input } = input as { readonly tool_input: { readonly command: string } };
    const permissionDecision = decide(tool_input.command);
    return {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision,
        permissionDecisionReason: `The hook says ${permissionDecision}.`,
      },
    };
  };
  return { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] };
}

export interface DeferredWorld extends World {
  readonly sessionId: string;
  made(file: string): boolean;
  /** Opens the session again, in another process. */
  reopen(more?: Options): Promise<Session>;
}

/** A session that has ended with a deferred call of Bash. */
export async function deferred(
  cliPath: string,
  command = "touch one",
  after: ReplyFunction = () => "Done.",
): Promise<DeferredWorld> {
  let calls = 0;
  const place = await world(cliPath, (call) => {
    calls += 1;
    return calls === 1 ? ["I call. ", bash(command)] : after(call);
  });
  const session = await openSession({ ...place.options, hooks: bashHook(() => "defer") });
  onTestFinished(() => session.close());
  const result = await session.send("first").result;
  expect(result.deferred_tool_use?.input).toMatchObject({ command });
  await session.close();
  const reopen = async (more: Options = {}) => {
    const again = await openSession({ ...place.options, resume: session.id, ...more });
    onTestFinished(() => again.close());
    return again;
  };
  const made = (file: string) => existsSync(join(place.cwd, file));
  return { ...place, sessionId: session.id ?? "", made, reopen };
}

/** A callback that allows everything, and the tools that it was asked about. */
export function allowAll(): { readonly canUseTool: CanUseTool; readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    canUseTool: async (tool) => {
      asked.push(tool);
      return { behavior: "allow" };
    },
  };
}

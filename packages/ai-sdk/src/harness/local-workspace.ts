import { resolve } from "node:path";
import { basename, dirname } from "node:path/posix";
import type { HarnessV1NetworkSandboxSession, HarnessV1SandboxProvider } from "@ai-sdk/harness";
import { LocalWorkspaceSession } from "./local-workspace-session.js";

/** The options of `localWorkspace()`. */
export interface LocalWorkspaceOptions {
  /**
   * Gives each session a folder of its own below the given folder, by the name of its session id.
   *
   * @default false: all sessions work in the given folder itself
   */
  readonly perSession?: boolean | undefined;
}

/** The settings of a `HarnessAgent` that let its sessions work in a folder of this machine. */
export interface LocalWorkspace {
  readonly sandbox: HarnessV1SandboxProvider;
  readonly sandboxConfig: { readonly workDir?: string };
}

/**
 * A folder of this machine in place of a sandbox, because a `HarnessAgent` starts no session without one. Spread
 * the returned object into the settings of the agent.
 *
 * **It isolates nothing.** The CLI, its tools and your own tools run as the user of your program, with all rights
 * of this user, on all files and the network of this machine. The folder is only where they start. Limit the
 * agent by `permissionMode`, by the option `rules` of `hawserHarness()`, or by its option `sandbox`, which is the
 * sandbox of the CLI itself.
 *
 * Commands run in a POSIX shell.
 *
 * @example
 * ```ts
 * import { HarnessAgent } from "@ai-sdk/harness/agent";
 * import { hawserHarness, localWorkspace } from "@hawser/ai-sdk/harness";
 *
 * const agent = new HarnessAgent({ harness: hawserHarness(), ...localWorkspace("/srv/project") });
 * ```
 */
export function localWorkspace(
  folder: string,
  { perSession = false }: LocalWorkspaceOptions = {},
): LocalWorkspace {
  const root = resolve(folder);
  const inRoot = perSession || root === "/";
  const open = async (sessionId?: string): Promise<HarnessV1NetworkSandboxSession> =>
    new LocalWorkspaceSession({
      id: sessionId ?? root,
      folder: root,
      // The agent always works in a folder below this one, so it is the parent if the folder itself is meant.
      defaultWorkingDirectory: inRoot ? root : dirname(root),
    });
  return {
    sandbox: {
      specificationVersion: "harness-sandbox-v1",
      providerId: "hawser-local",
      async createSession({ sessionId, abortSignal, onFirstCreate } = {}) {
        abortSignal?.throwIfAborted();
        const session = await open(sessionId);
        await onFirstCreate?.(
          session.restricted(),
          abortSignal === undefined ? {} : { abortSignal },
        );
        return session;
      },
      async resumeSession({ sessionId, abortSignal }) {
        abortSignal?.throwIfAborted();
        return open(sessionId);
      },
    },
    sandboxConfig: inRoot ? {} : { workDir: basename(root) },
  };
}

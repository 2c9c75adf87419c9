import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Begins with the files that take longest, so that none of them runs on alone at the end. Vitest knows
 * them from an earlier run only, which a fresh clone has not had, and else goes by the size of a file.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const [, name = ""] = /\/test\/(.*?)(?:\.full)?\.test\.ts$/.exec(moduleId) ?? [];
  const rank = LONG.indexOf(name);
  return rank < 0 ? LONG.length : rank;
}

/** The files that take longest, the longest first. */
const LONG: readonly string[] = [
  ...["crowd", "session/cut-off-turn", "package/packed", "providers/claude-code-outcomes"],
  ...["complete/auto-resume", "pool/earlier-clis", "types/types", "providers/claude-code-tools"],
  ...["command/server", "providers/claude-code-provider", "council/council", "worker/ends"],
  ...["pool/late-options", "complete/parse-cli-output", "query/ends", "package/override"],
  ...["page/pressure", "complete/retry-policy", "session/mcp", "database/folder-users"],
  ...["bin/sessions", "database/database", "page/views", "complete/phases", "command/deploy"],
  ...["session/resumed-turn", "providers/claude-cli-provider", "testing/fake-cli-turns"],
  ...["query/input-end", "server-death", "docs/blocks", "accounting/fair-order"],
  // In npm test.
  ...["host-death/host-death", "process/end-tree", "complete/answers", "session/lifecycle"],
  ...["transport/death", "native/native-api", "page/live", "content", "package/package"],
];

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
  const rank = LONG.findIndex((file) => moduleId.endsWith(`/test/${file}.test.ts`));
  return rank < 0 ? LONG.length : rank;
}

/** More than 30 seconds each, the longest first. */
const LONG: readonly string[] = [
  "complete/phases",
  "session/interrupt",
  "session/permission-table",
  "chaos/chaos",
  "complete/failure-table",
  "host-death/host-death",
  "pool/soak",
  "session/controls",
  "complete/isolation",
  "complete/parse-cli-output",
  "complete/auto-resume",
  "pool/deferred-options",
  "pool/earlier-clis",
  "query/methods",
  "query/input-end",
  "process/custom-spawn-death",
  "session/permission-late",
  "fuzz/messages",
];

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
  if (moduleId.endsWith(".full.test.ts")) return -1;
  const rank = LONG.findIndex((file) => moduleId.endsWith(`/test/${file}.test.ts`));
  return rank < 0 ? LONG.length : rank;
}

/** The files that take longest, the longest first. Those of full runs come before all others. */
const LONG: readonly string[] = [
  "bin/chat",
  "session/forgotten",
  "chaos/chaos",
  "complete/failures",
  "bin/ask",
  "docs/blocks",
  "session/trust-project",
  "query/guards",
  "session/recover",
  "session/controls",
  "bin/doctor",
  "testing/cassette-replay",
  "host-death/host-death",
  "complete/isolation",
  "session/slow",
  "session/resume",
  "complete/structured-output",
];

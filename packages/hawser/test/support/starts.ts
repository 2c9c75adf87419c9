import type { FakeCli, RecordedProcess } from "../../src/testing/index.js";

/** The processes of a fake CLI that were more than a question for its version. */
export async function startsOf(cli: FakeCli): Promise<readonly RecordedProcess[]> {
  return (await cli.recorded()).filter(({ argv }) => argv[0] !== "-v");
}

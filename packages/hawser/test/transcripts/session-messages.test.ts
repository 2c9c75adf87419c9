import { expect, it } from "vitest";
import { getSessionMessages } from "../../src/transcripts/index.js";
import { emptyConfig, entry, sessionId, writeTranscript } from "./transcript-files.helper.js";

it("getSessionMessages() returns what a compaction and a rewind have left out with includeHistory", async () => {
  const configDir = await emptyConfig();
  const id = sessionId(1);
  const metadata = { compactMetadata: { trigger: "manual" }, logicalParentUuid: "u3" };
  writeTranscript(configDir, id, [
    entry("user", 1, null),
    entry("assistant", 2, 1),
    // The first answer was left by a rewind.
    entry("assistant", 3, 1),
    entry("system", 4, null, metadata),
    entry("user", 5, 4, { isCompactSummary: true }),
    entry("assistant", 6, 5),
    entry("assistant", 3, 1),
    entry("user", 7, 6, { isSidechain: true }),
    entry("user", 8, 6),
  ]);
  const idsOf = async (includeHistory: boolean) =>
    (await getSessionMessages(id, { configDir, includeHistory })).map(({ uuid }) => uuid);
  expect(await idsOf(false)).toEqual(["u5", "u6", "u8"]);
  expect(await idsOf(true)).toEqual(["u1", "u2", "u5", "u6", "u3", "u8"]);
});

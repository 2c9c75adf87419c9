import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as answer from "../../src/answer/index.js";
import * as council from "../../src/council/index.js";
import * as root from "../../src/index.js";
import * as providers from "../../src/providers/index.js";
import * as testing from "../../src/testing/index.js";
import { programOf } from "../types/program.helper.js";
import { type Surface, surfaceOf } from "./named-types.helper.js";

/** Named by a public declaration, and yet not to be imported. */
const NOT_IMPORTABLE = [
  // Made and used by the library alone; they stand in classes whose users never write them.
  "src/mcp/tool-server.ts: ToolServer",
  "src/process/cli-process.ts: CliProcess",
  "src/process/locate/cli-search-paths.ts: Machine",
  "src/session/controls.ts: Controls",
  "src/session/session-start.ts: SessionStart",
  "src/transport/subprocess-line.ts: RunningProcess",
  "src/transport/transport.ts: FrameReceiver",
  "src/transport/transport.ts: Line",
  "src/wire/framing/line-framer.ts: LineReceiver",
  // `HostRequestFields` has them all.
  "src/session/controls.ts: FieldsOf",
  // Parts of the messages of the official SDK and of the API, which have other names there or none.
  "src/query/types/api/block.ts: ApiCitation",
  "src/query/types/api/block.ts: ApiRefusalCategory",
  "src/query/types/api/block.ts: ApiSearchCitation",
  "src/query/types/api/block.ts: ApiServerToolUseBlock",
  "src/query/types/api/block.ts: ApiTextBlock",
  "src/query/types/api/block.ts: ApiThinkingBlock",
  "src/query/types/api/block.ts: ApiToolUseBlock",
  "src/query/types/api/tool-result.ts: ApiServerToolResult",
  "src/query/types/api/tool-result.ts: ApiToolCaller",
  // Turns a type of the wire into the official one.
  "src/query/types/official.ts: Official",
  // The official names are for other shapes.
  "src/wire/control/cli-request.ts: ElicitationRequest",
  "src/wire/control/cli-request.ts: UserDialogRequest",
];

/** Classes that only functions make, and so types to everybody else. */
const MADE_BY_FUNCTIONS = ["Approvals", "Pool", "Session"];

describe("the types of the public surface", () => {
  const entries = [
    "index",
    "answer/index",
    "council/index",
    "providers/index",
    "testing/index",
  ].map((file) => fileURLToPath(new URL(`../../src/${file}.ts`, import.meta.url)));
  const [index = "", answerIndex = "", councilIndex = "", providersIndex = "", testingIndex = ""] =
    entries;
  const program = programOf(entries, true);
  const surfaces: readonly [string, Surface, object, readonly string[]][] = [
    ["hawser", surfaceOf(program, index), root, NOT_IMPORTABLE],
    ["hawser/answer", surfaceOf(program, answerIndex, index), answer, []],
    ["hawser/council", surfaceOf(program, councilIndex, index), council, []],
    ["hawser/providers", surfaceOf(program, providersIndex, index), providers, []],
    ["hawser/testing", surfaceOf(program, testingIndex), testing, []],
  ];

  it.each(surfaces)("of %s can be imported if a declaration names them", (_, surface, __, not) => {
    expect(surface.unnamed).toEqual([...not].sort());
  });

  it.each(surfaces)(
    "of %s contain no class or function that does not exist at run time",
    (_, surface, has) => {
      const had = [...Object.keys(has), ...MADE_BY_FUNCTIONS];
      expect(surface.values.filter((name) => !had.includes(name))).toEqual([]);
    },
  );
});

import { hang, type RecordedRequest, SimulatedModel, toolUse } from "hawser/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { stillAlive, until } from "../../hawser/test/support/proc.js";
import { ServedGateway } from "./support/served-gateway.js";
import { postOver } from "./support/socket-client.js";
import { type Part, type SeenCall, WIRE_FORMATS, type WireFormat } from "./support/wire-format.js";

const TOOL = { name: "weather", description: "The weather at a place." };
const EARLIER: readonly Part[] = [
  { user: "I am in Oslo." },
  { assistant: "A fine place." },
  { user: "Does it rain here?" },
];

let model: SimulatedModel;
/** It lives through all tests. */
let survivor: ServedGateway;

beforeAll(async () => {
  model = await SimulatedModel.start({ replies: answer });
  survivor = await ServedGateway.start(model.url);
});
afterAll(async () => {
  await survivor.dispose();
  await model.close();
});

/** Calls the tool, and then tells what the tool said. */
function answer({ prompt, toolResults: [result] }: RecordedRequest) {
  if (prompt.includes("Count")) return hang("one two three four five six", { chunks: 6 });
  return result === undefined
    ? toolUse(TOOL.name, { word: "Oslo" })
    : `The tool said: ${result.text}`;
}

async function startServer(): Promise<ServedGateway> {
  const server = await ServedGateway.start(model.url);
  onTestFinished(() => server.dispose());
  return server;
}

/** The call of the tool that a server answers with. */
async function askForCall(
  { port }: ServedGateway,
  format: WireFormat,
  more: object = {},
): Promise<SeenCall & { readonly answerId: string | undefined }> {
  const body = format.body(EARLIER, { isStreamed: true, tool: TOOL, more });
  const { text } = await postOver(port, format.path, body);
  const { calls, isWhole, id } = format.streamed(text);
  expect(isWhole).toBe(true);
  const [call] = calls;
  expect(call).toMatchObject({ name: TOOL.name, input: { word: "Oslo" } });
  return { ...(call as SeenCall), answerId: id };
}

/** Kills the server, and waits until nothing of it is left. */
async function killAndLook(server: ServedGateway): Promise<void> {
  const tree = server.tree();
  // The server, its CLI and the watchdog.
  expect(tree.length).toBeGreaterThanOrEqual(3);
  await server.kill();
  await until(() => stillAlive(tree).length === 0);
  // `claude-<uid>` is a folder that the CLI itself makes and keeps.
  await until(() => server.temporaryFiles().every((name) => /^claude-\d+$/.test(name)));
}

const resultOf = ({ id }: SeenCall): Part => ({ result: { id, text: "Heavy rain." } });

describe.skipIf(process.platform !== "linux")("hawser serve, killed with SIGKILL", () => {
  it.each(Object.values(WIRE_FORMATS))(
    "between a tool call and its result ($name): another server continues, and nothing is left of the first",
    async (format) => {
      const first = await startServer();
      const { answerId: _, ...call } = await askForCall(first, format);
      await killAndLook(first);

      const parts = [...EARLIER, { call }, resultOf(call)];
      const body = format.body(parts, { tool: TOOL });
      const { status, text } = await postOver(survivor.port, format.path, body);
      expect(status).toBe(200);
      expect(format.whole(text)).toMatchObject({
        text: "The tool said: Heavy rain.",
        isWhole: true,
      });
      const sent = JSON.stringify(model.calls.at(-1)?.body);
      for (const word of ["I am in Oslo.", "A fine place.", "Does it rain here?", call.id]) {
        expect(sent).toContain(word);
      }
    },
  );

  it("loses the responses that it stored: the id is a 404 on another server, which says so", async () => {
    const format = WIRE_FORMATS.responses;
    const first = await startServer();
    const { answerId, ...call } = await askForCall(first, format, { store: true });
    await killAndLook(first);
    const more = { previous_response_id: answerId };
    const body = format.body([resultOf(call)], { tool: TOOL, more });
    const { status, text } = await postOver(survivor.port, format.path, body);
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ error: { param: "previous_response_id" } });
  });

  it.each(Object.values(WIRE_FORMATS))(
    "in the middle of a stream ($name): the stream does not look complete, and nothing is left",
    async (format) => {
      const first = await startServer();
      const body = format.body([{ user: "Count." }], { isStreamed: true });
      let seen = "";
      const sees = (text: string) => {
        seen = text;
      };
      const stream = postOver(first.port, format.path, body, { sees });
      await until(() => format.streamed(seen).text.startsWith("one"));
      await killAndLook(first);
      const { text, cutBy } = await stream;
      expect(cutBy).toBeInstanceOf(Error);
      expect(format.streamed(text)).toMatchObject({
        text: expect.stringMatching(/^one/),
        isWhole: false,
      });
    },
  );
});

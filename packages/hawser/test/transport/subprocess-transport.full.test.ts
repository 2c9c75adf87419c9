import { describe, expect, it, onTestFinished } from "vitest";
import { locateCli } from "../../src/process/index.js";
import { fakeCli, type Scenario } from "../../src/testing/index.js";
import { SubprocessTransport } from "../../src/transport/index.js";
import { describeTransport, type Peer } from "./conformance.helper.js";

describeTransport("SubprocessTransport", async (peer) => {
  const cli = await fakeCli(scenario(peer));
  onTestFinished(() => cli.dispose());
  return new SubprocessTransport({ cliPath: cli.path, closeGraceMs: 10_000 });
});

describe("SubprocessTransport without a CLI", () => {
  it("can be constructed, and connect() rejects with the error of locateCli()", async () => {
    const cliPath = "/no/such/claude";
    const transport = new SubprocessTransport({ cliPath });
    await expect(transport.connect()).rejects.toMatchObject({ code: "cli_not_found", cliPath });
    const refusal = expect.objectContaining({ code: "cli_not_found", cliPath });
    expect(() => locateCli({ cliPath })).toThrow(refusal);
  });
});

function scenario(peer: Peer): Scenario {
  switch (peer.does) {
    case "echo":
      return { steps: [{ on: "user", times: "always", do: [{ echo: true }] }] };
    case "emit":
      return { steps: [{ on: "start", do: peer.lines.map((line) => ({ write: `${line}\n` })) }] };
    case "die":
      return { steps: [{ on: "user", do: [{ stderr: `${peer.stderr}\n` }, { exit: peer.code }] }] };
    case "ignore":
      return { steps: [{ on: "start", do: [{ stopReading: true }] }] };
  }
}

import { MemoryTransport } from "../../src/transport/index.js";
import { encodeLine } from "../../src/wire/index.js";
import { describeTransport, type Peer } from "./conformance.helper.js";

describeTransport("MemoryTransport", async (peer) => {
  const [here, there] = MemoryTransport.pair();
  await there.connect();
  void serve(there, peer, here);
  return here;
});

async function serve(end: MemoryTransport, peer: Peer, other: MemoryTransport): Promise<void> {
  if (peer.does === "emit") for (const line of peer.lines) other.receive(line);
  for await (const frame of end.messages()) {
    if (frame.kind !== "message") continue;
    if (peer.does === "die") return end.exit({ code: peer.code, stderrTail: peer.stderr });
    if (peer.does === "echo") {
      const line = encodeLine({ type: "echo", line: frame.message } as never);
      other.receive(line.trimEnd());
    }
  }
  end.exit();
}

import { describe, expect, it } from "vitest";
import { ParkedTurns } from "../../src/agent/parked-turns.js";

class Turn {
  isClosed = false;

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

const LIMITS = { parkedMs: 60_000, maxParked: 10 };
const wait = (name: string) => ({ id: `approval-${name}`, toolCallId: `call-${name}` });

function parked(...names: readonly string[]) {
  const turns = new ParkedTurns<Turn>();
  const turn = new Turn();
  turns.add(turn);
  turns.park(turn, names.map(wait), LIMITS);
  return { turns, turn };
}

describe("ParkedTurns", () => {
  it("gives a turn to the first claim, and tells the second that it is taken", () => {
    const { turns, turn } = parked("a");
    expect(turns.claim(["approval-a"])).toEqual({ type: "claimed", turn });
    expect(turns.claim(["approval-a"])).toEqual({ type: "taken" });
    turns.delete(turn);
    expect(turns.claim(["approval-a"])).toEqual({ type: "taken" });
    expect(turns.endOf("call-a")).toBe("answered");
    expect(turns.size).toBe(0);
  });

  it("does not know an answer of another program", () => {
    expect(parked("a").turns.claim(["approval-b"])).toEqual({ type: "gone" });
    expect(parked("a").turns.claim([])).toEqual({ type: "gone" });
  });

  it("takes the id of a tool call for no answer to the question about it", () => {
    const { turns, turn } = parked("a");
    expect(turns.claim(["call-a"])).toEqual({ type: "gone" });
    expect(turns.claim(["approval-a"])).toEqual({ type: "claimed", turn });
  });

  it("keeps what a claim has not answered: it is taken while the turn runs, and waits again afterwards", () => {
    const { turns, turn } = parked("a", "b");
    turns.claim(["approval-a"]);
    expect(turns.waiting).toBe(0);
    expect(turns.claim(["approval-b"])).toEqual({ type: "taken" });
    turns.park(turn, [wait("b")], LIMITS);
    expect(turns.claim(["approval-b"])).toEqual({ type: "claimed", turn });
  });

  it("closes the turn that has waited longest, if there are more than maxParked", () => {
    const turns = new ParkedTurns<Turn>();
    const all = ["a", "b", "c"].map((name) => {
      const turn = new Turn();
      turns.add(turn);
      turns.park(turn, [wait(name)], { parkedMs: 60_000, maxParked: 2 });
      return turn;
    });
    expect(all.map(({ isClosed }) => isClosed)).toEqual([true, false, false]);
    expect(turns.claim(["approval-a"])).toEqual({ type: "gone" });
    expect(turns.endOf("call-a")).toBe("evicted");
  });

  it("closes a turn whose conversation goes on without it, by the id of the tool call", () => {
    const { turns, turn } = parked("a");
    turns.supersede("call-a");
    expect(turn.isClosed).toBe(true);
    expect(turns.endOf("call-a")).toBe("superseded");
  });

  it("closes a turn at its time limit, by a timer that does not keep the program alive", async () => {
    const turns = new ParkedTurns<Turn>();
    const closed = new Promise<void>((resolve) => {
      const turn = { close: async () => resolve() } as unknown as Turn;
      turns.add(turn);
      turns.park(turn, [wait("a")], { parkedMs: 1, maxParked: 1 });
    });
    const holds = setInterval(() => {}, 1000);
    await closed;
    clearInterval(holds);
    expect(turns.endOf("call-a")).toBe("expired");
    expect(turns.claim(["approval-a"])).toEqual({ type: "gone" });
  });

  it("closes all turns, and a turn that begins after close()", async () => {
    const { turns, turn } = parked("a");
    await turns.close();
    expect(turn.isClosed).toBe(true);
    const late = new Turn();
    turns.add(late);
    expect(late.isClosed).toBe(true);
  });

  it("remembers a limited number of answers", () => {
    const turns = new ParkedTurns<Turn>();
    for (let number = 0; number < 6000; number += 1) {
      const turn = new Turn();
      turns.add(turn);
      turns.park(turn, [wait(String(number))], LIMITS);
      turns.claim([`approval-${number}`]);
      turns.delete(turn);
    }
    expect(turns.endOf("call-0")).toBeUndefined();
    expect(turns.endOf("call-5999")).toBe("answered");
  });
});

import { describe, expect, it, onTestFinished } from "vitest";
import { Terminal } from "../../src/bin/terminal/terminal.js";
import { askApprovals } from "../../src/bin/turn/ask-approvals.js";
import { createApprovals } from "../../src/session/index.js";

/** The first question cannot be shown. */
class BrokenOnce extends Terminal {
  #isBroken = true;

  override hold(isHeld: boolean): void {
    if (this.#isBroken) {
      this.#isBroken = false;
      throw new Error("The screen is gone.");
    }
    super.hold(isHeld);
  }
}

describe("askApprovals()", () => {
  it("cancels an elicitation that cannot be shown, and still asks the next question", async () => {
    const approvals = createApprovals();
    onTestFinished(() => approvals.close());
    const askLine = async () => "y";
    void askApprovals(approvals, new BrokenOnce({ quiet: true }), { askLine, cwd: "/" });
    const { signal } = new AbortController();
    const elicited = approvals.onElicitation(
      { serverName: "crm", message: "Who?" },
      { signal, requestId: "r1" },
    );
    const context = { signal, requestId: "r2", toolUseID: "toolu_1" };
    const called = approvals.canUseTool("Bash", { command: "ls" }, context);
    expect(await elicited).toEqual({ action: "cancel" });
    expect(await called).toEqual({ behavior: "allow" });
  });
});

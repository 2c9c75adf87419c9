import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Options } from "../../src/options/index.js";
import { openSession, type Session } from "../../src/session/index.js";
import type { FakeCli, Step } from "../../src/testing/index.js";
import { reusedFake } from "../support/reused-fake.js";

// What an older CLI accepts and does not keep. `npm run versions` tries the same on the real CLIs.

interface OnFake {
  readonly session: Session;
  readonly cli: FakeCli;
}

/** A session on a fake CLI that claims this version. */
async function openOn(
  version: string,
  options: Options = {},
  steps: readonly Step[] = [],
): Promise<OnFake> {
  const cli = await reusedFake({ version: `${version} (Claude Code)`, steps });
  return { session: await openSession({ cliPath: cli.path, ...options }), cli };
}

async function linesTo(cli: FakeCli): Promise<string> {
  return (await cli.recorded()).flatMap(({ lines }) => lines).join("\n");
}

/** The result of an interrupted turn on 2.0.77. */
const INTERRUPTED = {
  type: "result",
  subtype: "error_during_execution",
  is_error: false,
  num_turns: 2,
  total_cost_usd: 0,
  session_id: "s",
  uuid: "u",
  errors: [],
};

const refusedOn = (cliVersion: string) => ({ code: "unsupported_by_cli", cliVersion });

describe("/clear", () => {
  it.each(["2.0.77", "2.1.113", "2.1.128"])(
    "is refused with unsupported_by_cli on %s, and the CLI gets nothing",
    async (version) => {
      const { session, cli } = await openOn(version, { onOldCli: "ignore" });
      for (const command of ["/clear", "/reset", "/new", " /clear old"]) {
        const text = [{ type: "text" as const, text: command }];
        expect(() => session.send(command, { commands: true })).toThrow(
          expect.objectContaining(refusedOn(version)),
        );
        expect(() => session.send(text, { commands: true })).toThrow(/keeps the conversation/);
      }
      expect(() => session.command("/clear")).toThrow(/needs Claude Code 2\.1\.129 or newer/);
      await session.close();
      expect(await linesTo(cli)).not.toMatch(/\/(clear|reset|new)/);
    },
  );

  it("is sent as text on such a CLI if it is not meant as a command", async () => {
    const { session, cli } = await openOn("2.1.113", {}, [
      { on: "user", times: "always", do: [{ turn: "ok" }] },
    ]);
    expect(await session.send("/clear").text()).toBe("ok");
    expect(await session.command("/clearly another command").text()).toBe("ok");
    await session.close();
    expect(await linesTo(cli)).toContain("/clear");
  });

  it("is sent on 2.1.129", async () => {
    const { session, cli } = await openOn("2.1.129");
    await session.command("/clear").result;
    await session.close();
    expect(await linesTo(cli)).toContain("/clear");
  });
});

describe("Session.setPermissionMode()", () => {
  it('refuses "auto" on 2.1.70, which would accept any word', async () => {
    const { session, cli } = await openOn("2.1.70");
    await expect(session.setPermissionMode("auto")).rejects.toMatchObject(refusedOn("2.1.70"));
    const request = session.request("set_permission_mode", { mode: "auto" });
    await expect(request).rejects.toMatchObject(refusedOn("2.1.70"));
    await session.close();
    expect(await linesTo(cli)).not.toContain("auto");
  });

  it('sends "auto" on 2.1.71, and "manual" by the name that every CLI knows', async () => {
    const { session, cli } = await openOn("2.1.71");
    await session.setPermissionMode("auto");
    await session.setPermissionMode("manual" as never);
    await session.close();
    const modes = [...(await linesTo(cli)).matchAll(/"mode":"(\w+)"/g)].map(([, mode]) => mode);
    expect(modes).toEqual(["auto", "default"]);
  });

  it('refuses "plan" up to 2.1.268 in a session that may skip permissions', async () => {
    const mayBypass: Options = { allowDangerouslySkipPermissions: true };
    const { session, cli } = await openOn("2.1.268", mayBypass);
    await expect(session.setPermissionMode("plan")).rejects.toMatchObject(refusedOn("2.1.268"));
    await session.setPermissionMode("acceptEdits");
    await session.close();
    expect(await linesTo(cli)).not.toContain("plan");
    const { session: without } = await openOn("2.1.268");
    await without.setPermissionMode("plan");
    await without.close();
    const { session: newer } = await openOn("2.1.269", mayBypass);
    await newer.setPermissionMode("plan");
    await newer.close();
  });
});

describe("a PreToolUse hook that passes its time limit", () => {
  const never = () => new Promise<never>(() => {});
  const hooks = { PreToolUse: [{ hooks: [never], timeout: 0.2 }] };
  const call: Step = {
    on: "user",
    do: [{ turn: [{ tool: "Bash", input: { command: "touch a" }, allowed: true }, "done"] }],
  };

  it("is denied by hawser on 2.1.159, which would let the call run", async () => {
    const { session, cli } = await openOn("2.1.159", { hooks }, [call]);
    const { permission_denials } = await session.send("go").result;
    await session.close();
    expect(permission_denials).toHaveLength(1);
    const lines = await linesTo(cli);
    expect(lines).toContain('"timeout":60.2');
    expect(lines).toContain("did not answer in time");
  });

  it("is left to the CLI on 2.1.160, which refuses the call", async () => {
    const { session, cli } = await openOn("2.1.160", { hooks }, [call]);
    await session.send("go").result;
    await session.close();
    const lines = await linesTo(cli);
    expect(lines).toContain('"timeout":0.2');
    expect(lines).not.toContain("did not answer in time");
  });
});

describe("an interrupted turn of a CLI whose results name no prompts", () => {
  it("has the result that came before the prompt was reported as cancelled", async () => {
    const uuid = randomUUID();
    const lifecycle = (state: string) => ({
      emit: { type: "command_lifecycle", command_uuid: uuid, state },
    });
    const { session } = await openOn("2.1.250", {}, [
      {
        on: "user",
        do: [lifecycle("queued"), lifecycle("started"), { init: {} }],
      },
      {
        on: "control",
        subtype: "interrupt",
        do: [
          { default: true },
          { emit: { ...INTERRUPTED, is_error: true, terminal_reason: "aborted_streaming" } },
          lifecycle("cancelled"),
        ],
      },
    ]);
    const turn = session.send("go", { uuid });
    await turn[Symbol.asyncIterator]().next();
    await session.interrupt();
    expect(await turn.result).toMatchObject({ terminal_reason: "aborted_streaming" });
    await session.close();
  });
});

describe("an interrupted turn of a CLI that gives no reason", () => {
  it("rejects with the reason of the signal", async () => {
    const { session } = await openOn("2.0.77", {}, [
      { on: "user", do: [{ init: {} }] },
      {
        on: "control",
        subtype: "interrupt",
        do: [{ default: true }, { emit: INTERRUPTED }],
      },
    ]);
    const controller = new AbortController();
    const turn = session.send("go", { signal: controller.signal });
    // Only the first message: a reader that leaves the iteration would interrupt the turn as well.
    await turn[Symbol.asyncIterator]().next();
    controller.abort("enough");
    await expect(turn.result).rejects.toMatchObject({ code: "aborted", reason: "enough" });
    await session.close();
  });
});

import { describe, expect, it } from "vitest";
import { startsOf } from "../support/starts.js";
import { atRest, onFake, until } from "./on-fake.helper.js";

describe("Pool between two calls", () => {
  it("does not show the second call an unfinished line of stderr of the first call", async () => {
    const { pool, options } = await onFake(
      { size: { min: 1, max: 1 } },
      {
        steps: [
          { on: "user", do: [{ stderr: "secret of the first " }, { turn: "ok" }] },
          { on: "user", do: [{ stderr: "its end\nof the second\n" }, { turn: "ok" }] },
        ],
      },
    );
    const heard: string[] = [];
    await pool.complete("1", options);
    await pool.complete("2", { ...options, stderr: (line) => heard.push(line) });
    await pool.complete("3", options);
    expect(heard).toEqual(["of the second"]);
    expect(pool.stats().calls.by).toMatchObject({ cold: 1, recycled: 2 });
  });

  it("serves another system prompt, other tools or a session by another process", async () => {
    const { pool, cli, options } = await onFake({ size: { min: 0, max: 4 } });
    await pool.complete("1", { ...options, systemPrompt: "canary of the first" });
    await until(pool, ({ processes }) => processes.recycled === 1);
    await pool.complete("2", { ...options, systemPrompt: "of the second" });
    await pool.complete("3", { ...options, systemPrompt: "of the second", tools: ["Bash"] });
    const session = await pool.openSession(options);
    await session.send("4").result;
    await session.close();
    const starts = await startsOf(cli);
    const told = starts.map(({ lines }) => lines.join("\n"));
    for (const [i, prompt] of ["1", "2", "3", "4"].entries()) {
      const others = told.filter((_, k) => k !== i).join("\n");
      expect(told[i]).toContain(`"text":"${prompt}"`.replace(/"text":"4"/, "4"));
      expect(others).not.toContain(`"text":"${prompt}"`);
    }
    expect(told.filter((lines) => lines.includes("canary of the first"))).toHaveLength(1);
    expect(starts).toHaveLength(4);
  });

  it("opens a session on another process when the first process dies during initialize", async () => {
    const { pool, options } = await onFake(
      {},
      { steps: [{ on: "initialize", process: 2, do: [{ die: "SIGKILL" }] }] },
    );
    const first = await pool.openSession(options);
    await until(pool, ({ processes }) => processes.generic === 1);
    const second = await pool.openSession({ ...options, systemPrompt: "Another." });
    expect((await second.send("x").result).is_error).toBe(false);
    expect(pool.stats().calls.running).toBe(2);
    await Promise.all([first.close(), second.close()]);
    await until(pool, ({ calls }) => calls.running === 0);
  });

  it("starts a process with the environment of its call, though the caller changes the object later", async () => {
    const { pool, cli, options } = await onFake({ isolation: "process", size: { min: 1 } });
    const env: Record<string, string> = { CANARY: "of-alice" };
    const ask = (prompt: string) => pool.complete(prompt, { ...options, env });
    const first = ask("1");
    await until(pool, ({ calls }) => calls.running === 1);
    env["CANARY"] = "of-bob";
    await first;
    await until(pool, ({ processes }) => processes.generic === 1);
    env["CANARY"] = "of-alice";
    await ask("2");
    await atRest(pool);
    const served = (await startsOf(cli)).filter(({ lines }) =>
      lines.some((line) => line.includes('"type":"user"')),
    );
    expect(served.map((each) => each.env["CANARY"])).toEqual(["of-alice", "of-alice"]);
    expect(pool.stats().calls.by).toMatchObject({ generic: 1 });
  });
});

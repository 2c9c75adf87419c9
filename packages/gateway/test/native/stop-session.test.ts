import { openSession } from "hawser";
import { fakeCli } from "hawser/testing";
import { expect, it } from "vitest";
import { createNativeApi } from "../../src/native/create-native-api.js";

it("POST …/interrupt kills a process that does not obey, and the session is over", async ({
  onTestFinished,
}) => {
  const cli = await fakeCli({
    states: true,
    steps: [
      { on: "user", do: [{ turn: ["One moment.", { sleep: 600_000 }] }] },
      { on: "control", subtype: "interrupt", times: "always", do: [{ respond: {} }] },
    ],
  });
  const api = createNativeApi({ controlsProgram: true });
  onTestFinished(async () => {
    await api.close();
    await cli.dispose();
  });
  const session = await openSession({ cliPath: cli.path });
  const failure = session.send("Go.").result.catch((error: unknown) => error);
  const ask = async (path: string, method = "GET") => {
    const url = `http://localhost/hawser/v1/sessions${path}`;
    // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of the answer.
    return (await api.fetch(new Request(url, { method }))).json() as Promise<any>;
  };
  const { sessions } = await ask("");
  const { pid } = session;
  expect(await ask(`/${sessions[0].id}/interrupt`, "POST")).toEqual({ result: "interrupted" });
  expect(await failure).toMatchObject({ code: "closed" });
  expect((await ask(`/${sessions[0].id}`)).session).toMatchObject({ status: "ended", turns: [] });
  expect(() => process.kill(pid ?? Number.NaN, 0)).toThrow("ESRCH");
});

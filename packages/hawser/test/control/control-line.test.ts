import { describe, expect, it } from "vitest";
import { isMessage } from "../../src/wire/index.js";
import { asks, openLine, settled, success } from "./line.helper.js";

describe("ControlLine", () => {
  it("passes on all other messages in order, of any type", async () => {
    const { say, messages, corrupt, cli, ended } = await openLine();
    const lines = [{ type: "system", subtype: "init" }, { type: "new" }, {}, { type: 5 }];
    for (const line of lines) say(line);
    say("noise");
    say('{"type":"assis');
    say({ type: "result" });
    await cli.close();
    await ended;
    expect(messages).toEqual([...lines, { type: "result" }]);
    expect(corrupt).toMatchObject([{ code: "protocol_error" }]);
  });

  it("continues after a message that cannot be handled, and logs what was lost", async () => {
    const { say, messages, corrupt, cli, ended } = await openLine(undefined, (message) => {
      if ((message.type as string) === "bad") throw new TypeError("not as expected");
    });
    for (const type of ["good", "bad", "good"]) say({ type });
    await cli.close();
    await ended;
    expect(messages.map(({ type }) => type)).toEqual(["good", "bad", "good"]);
    expect(corrupt).toMatchObject([
      {
        code: "protocol_error",
        message: "A message has an unexpected shape: not as expected",
      },
    ]);
  });

  it("matches 1,000 interleaved requests in each direction to their answers", async () => {
    const { control, say, sent, sentUpTo } = await openLine(async (request) => ({ of: request }));
    const count = 1000;
    const answers = Array.from({ length: count }, (_, i) => {
      say(asks(`cli-${i}`, "ask", { i }));
      return control.request({ subtype: `host-${i}` });
    });
    await sentUpTo(2 * count);
    const asked = sent.filter(({ type }) => type === "control_request");
    for (const { request_id, request } of asked.reverse()) say(success(request_id, request));
    expect(await Promise.all(answers)).toEqual(
      Array.from({ length: count }, (_, i) => ({ subtype: `host-${i}` })),
    );
    const answered = sent.flatMap(({ response }) => response ?? []);
    expect(answered.map(({ request_id }) => request_id)).toEqual(
      Array.from({ length: count }, (_, i) => `cli-${i}`),
    );
    expect(answered.map(({ response }) => response)).toEqual(
      Array.from({ length: count }, (_, i) => ({ of: { subtype: "ask", i } })),
    );
  });

  it("reads 10,000 messages while a handler does not return", async () => {
    let release: () => void = () => {};
    const stuck = new Promise<object>((resolve) => {
      release = () => resolve({});
    });
    const { say, sent, sentUpTo, messages } = await openLine(() => stuck);
    say(asks("stuck", "can_use_tool"));
    for (let i = 0; i < 10_000; i++) say({ type: "stream_event", i });
    say({ type: "last" });
    while ((messages.at(-1)?.type as string) !== "last") await settled();
    expect(messages).toHaveLength(10_001);
    expect(
      messages.every((each, i) => (each.type as string) === "last" || Reflect.get(each, "i") === i),
    ).toBe(true);
    expect(sent).toEqual([]);
    release();
    expect(await sentUpTo(1)).toMatchObject([{ response: { request_id: "stuck" } }]);
  });

  it("stops reading while it is paused, and then continues without a gap", async () => {
    const { control, say, messages, cli, ended } = await openLine(undefined, (message) => {
      if (isMessage(message, "keep_alive")) control.pause();
    });
    say({ type: "one" });
    say({ type: "keep_alive" });
    say({ type: "two" });
    await settled();
    expect(messages.map(({ type }) => type)).toEqual(["one", "keep_alive"]);
    control.pause();
    control.resume();
    control.resume();
    await cli.close();
    await ended;
    expect(messages.map(({ type }) => type)).toEqual(["one", "keep_alive", "two"]);
  });

  it("reports the death of the peer while it is paused, after all messages", async () => {
    const { control, say, messages, cli, ended } = await openLine(undefined, () => control.pause());
    const request = control.request({ subtype: "x" });
    for (const type of ["one", "two", "three"]) say({ type });
    await settled();
    expect(messages.map(({ type }) => type)).toEqual(["one"]);
    cli.exit({ code: 3 });
    await expect(request).rejects.toMatchObject({ code: "process_exited", exitCode: 3 });
    expect(await ended).toMatchObject({ code: "process_exited", exitCode: 3 });
    expect(messages.map(({ type }) => type)).toEqual(["one", "two", "three"]);
  });

  it("keeps the program alive while a caller holds it or waits for an answer", async () => {
    const { control, holds, say, sentUpTo } = await openLine();
    const [first, second] = [control.hold(), control.hold()];
    first();
    first();
    expect(holds).toEqual([false, true]);
    second();
    expect(holds).toEqual([false, true, false]);
    const request = control.request({ subtype: "x" });
    expect(holds).toEqual([false, true, false, true]);
    say(success((await sentUpTo(1))[0]?.request_id));
    await request;
    expect(holds).toEqual([false, true, false, true, false]);
    await expect(
      control.request({ subtype: "y" }, { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: "aborted" });
    expect(holds.at(-1)).toBe(false);
  });

  it("also works as the CLI's side of the line", async () => {
    const { control, cli, sentUpTo, sent } = await openLine(async () => ({ from: "host" }));
    await cli.send(asks("1", "x") as Parameters<typeof cli.send>[0]);
    await sentUpTo(1);
    expect(sent[0]?.response?.response).toEqual({ from: "host" });
    const request = control.request({ subtype: "back" });
    const asked = (await sentUpTo(2))[1];
    await cli.send(success(asked?.request_id, { from: "cli" }) as Parameters<typeof cli.send>[0]);
    expect(await request).toEqual({ from: "cli" });
  });
});

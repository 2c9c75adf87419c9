import { describe, expect, it } from "vitest";
import { always, SimulatedModel, text } from "../../src/testing/index.js";
import { post, said } from "./http-client.helper.js";

describe("SimulatedModel replies", () => {
  it("are used in order, functions included", async () => {
    await using model = await SimulatedModel.start({
      replies: ["one", (call) => text(`you said ${call.prompt}`), always(async () => "again")],
    });
    expect([await said(model), await said(model), await said(model), await said(model)]).toEqual([
      "one",
      "you said hello",
      "again",
      "again",
    ]);
    model.assertDone();
  });

  it("are given one to each concurrent call", async () => {
    await using model = await SimulatedModel.start({ replies: ["a", "b", "c", "d"] });
    const answers = await Promise.all([1, 2, 3, 4].map(() => said(model)));
    expect(answers.sort()).toEqual(["a", "b", "c", "d"]);
  });

  it("that run out fail the test: status 418 for the client, an error from close()", async () => {
    const model = await SimulatedModel.start({ replies: ["only one"] });
    await post(model);
    const response = await post(model);
    const problem =
      'SimulatedModel: No reply is scripted for request 2 (POST /v1/messages, prompt "hello")';
    expect(response.status).toBe(418);
    expect(await response.json()).toMatchObject({
      error: { type: "invalid_request_error", message: problem },
    });
    expect(() => model.assertDone()).toThrow(problem);
    await expect(model.close()).rejects.toThrow(problem);
    await expect(model.close()).rejects.toThrow(problem);
  });

  it("fail the test when a function throws or returns nothing", async () => {
    const model = await SimulatedModel.start({
      replies: [
        () => {
          throw new Error("oops");
        },
        () => undefined,
      ],
    });
    expect((await post(model)).status).toBe(418);
    expect((await post(model)).status).toBe(418);
    await expect(model.close()).rejects.toThrow(
      /The reply function threw at request 1 .*: Error: oops; No reply is scripted for request 2/,
    );
  });

  it("that are not used up fail only assertDone()", async () => {
    const model = await SimulatedModel.start({ replies: ["a"] });
    model.add("b", always("c"));
    await post(model);
    expect(() => model.assertDone()).toThrow(
      "SimulatedModel: 1 scripted reply was never asked for",
    );
    await model.close();
  });
});

import { expect, it } from "vitest";
import { open } from "./fake.helper.js";

it("a prompt is not sent to one process after another that dies of it", async () => {
  const steps = [{ on: "user", do: [{ exit: 3 }] }] as const;
  const { session, cli } = await open(steps, { recover: true });
  const deadly = session.send("x").result;
  await expect(deadly).rejects.toMatchObject({ code: "process_exited", exitCode: 3 });
  const starts = (await cli.recorded()).filter(({ argv }) => argv[0] !== "-v");
  expect(starts.length).toBe(2);
});

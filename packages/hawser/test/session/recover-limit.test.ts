import { expect, it } from "vitest";
import { open } from "./fake.helper.js";

it("Session with recover sends a prompt to at most two processes that die of it", async () => {
  const steps = [{ on: "user", do: [{ exit: 3 }] }] as const;
  const { session, cli } = await open(steps, { recover: true });
  const deadly = session.send("x").result;
  await expect(deadly).rejects.toMatchObject({ code: "process_exited", exitCode: 3 });
  const starts = (await cli.recorded()).filter(({ argv }) => argv[0] !== "-v");
  expect(starts.length).toBe(2);
});

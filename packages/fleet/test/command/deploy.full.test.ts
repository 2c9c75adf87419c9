import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { createDatabase } from "../support/postgres.js";
import { CommandHome } from "./hawser-command.helper.js";

const EXAMPLE = fileURLToPath(new URL("../../../../examples/fleet-deploy", import.meta.url));

async function newPlace() {
  const home = new CommandHome();
  const database = await createDatabase();
  onTestFinished(async () => {
    await home[Symbol.asyncDispose]();
    await database.dispose();
  });
  cpSync(EXAMPLE, home.cwd, { recursive: true });
  return { home, offline: ["--offline", "--database", database.url] };
}

it("examples/fleet-deploy: with two workers and one database, one goes on with the run of the other that was killed", async () => {
  const { home, offline } = await newPlace();
  const worker = (name: string) =>
    home.start("worker", "--profiles", "profiles.js", "--slots", "4", "--name", name, ...offline);
  const workers = { one: worker("one"), two: worker("two") };
  await Promise.all(Object.values(workers).map((each) => each.says("profiles: default, operator")));
  const submit = ["submit", "--follow", "--json", "--tenant", "alice"];
  const follow = home.start(...submit, "count to 30", ...offline);
  await follow.says('"type":"text"');
  const [, started = ""] = /"host":"(one|two)"/.exec(follow.stdout) ?? [];
  workers[started as keyof typeof workers].child.kill("SIGKILL");
  const { code, stdout } = await follow.ended;
  const { run } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  const other = started === "one" ? "two" : "one";
  expect({ code, run }).toMatchObject({
    code: 0,
    run: { state: "done", tenant: "alice", host: other, segments: 2, deaths: 1 },
  });
  expect(run.outcome.text).toContain("30");
});

it("examples/fleet-deploy: hawser serve runs the agents of a configuration on its workers", async () => {
  const { home, offline } = await newPlace();
  const config = { fleet: {}, agents: { reader: { runOn: "fleet", profile: "default" } } };
  writeFileSync(join(home.cwd, "hawser.config.json"), JSON.stringify(config));
  const { key } = await home.json("serve", "keys", "add", "alice");
  const worker = home.start(
    "worker",
    "--profiles",
    "profiles.js",
    ...offline,
    "--label",
    "default",
  );
  const server = home.start("serve", "--host", "127.0.0.1", "--port", "0", "--json", ...offline);
  await server.says('"event":"listening"');
  await worker.says("serves the database");
  const { url, fleet } = JSON.parse(server.stdout.split("\n")[0] ?? "");
  expect(fleet).toMatch(/^postgres:\/\/localhost\/test_/);
  const ask = async (path: string, body?: object) => {
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, { headers, ...init });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of the answer.
    return { status: response.status, body: (await response.json()) as any };
  };
  expect((await ask("/hawser/v1/agents")).body.agents).toMatchObject([
    { name: "reader", runOn: "fleet" },
  ]);
  const answer = await ask("/v1/messages", {
    model: "agent:reader",
    max_tokens: 100,
    messages: [{ role: "user", content: "What is a bowline?" }],
  });
  expect(answer).toMatchObject({
    status: 200,
    body: { content: [{ text: "A bowline makes a loop that neither slips nor jams." }] },
  });
  const { body } = await ask("/hawser/v1/runs");
  expect(body.runs).toMatchObject([{ tenant: "alice", profile: "default", state: "done" }]);
  server.child.kill("SIGTERM");
  worker.child.kill("SIGTERM");
  expect((await server.ended).code).toBe(0);
  expect((await worker.ended).code).toBe(0);
  await home.gone();
});

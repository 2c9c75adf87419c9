import { onTestFinished } from "vitest";
import type { Options } from "../../src/options/index.js";
import { Session } from "../../src/session/index.js";
import { requestOf } from "../../src/session/open-session.js";
import { withId } from "../../src/session/session-start.js";
import {
  type Action,
  type FakeCli,
  fakeCli,
  type RecordedProcess,
  type Step,
} from "../../src/testing/index.js";
import type { Message } from "../../src/wire/index.js";

/** A fake CLI that goes when the test is over. */
export async function fake(steps: readonly Step[] = []): Promise<FakeCli> {
  const cli = await fakeCli({ steps });
  onTestFinished(() => cli.dispose());
  return cli;
}

/** A session that has begun to start on a fake CLI; it is ended when the test is over. */
export async function start(
  steps: readonly Step[] = [],
  options: Options = {},
): Promise<{ session: Session; cli: FakeCli }> {
  const cli = await fake(steps);
  const request = requestOf({ cliPath: cli.path, ...options });
  const session = new Session({ ...request, options: withId(request.options) });
  onTestFinished(() => session.kill());
  return { session, cli };
}

/** One that is open. */
export async function open(
  steps: readonly Step[] = [],
  options: Options = {},
): Promise<{ session: Session; cli: FakeCli }> {
  const started = await start(steps, options);
  await started.session.initializationResult();
  return started;
}

/** A piece of a partial message, about as long as the CLI prints it. */
export function partial(text: string): Record<string, unknown> {
  return {
    type: "stream_event",
    event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    parent_tool_use_id: null,
    session_id: "5e55101d-0000-4000-8000-000000000000",
    uuid: "aaaaaaaa-0000-4000-8000-000000000000",
  };
}

/** A permission request of the CLI. */
export function asksFor(id: string, tool: string = "Bash"): Record<string, unknown> {
  const request = {
    subtype: "can_use_tool",
    tool_name: tool,
    input: {},
    tool_use_id: `tool-${id}`,
  };
  return { type: "control_request", request_id: id, request };
}

/** What the CLI says of a prompt. */
export function lifecycle(command_uuid: string, state: string): Action {
  return { emit: { type: "command_lifecycle", command_uuid, state } };
}

/** What the process of the session has received; the one that was asked for its version aside. */
export async function received(cli: FakeCli): Promise<RecordedProcess | undefined> {
  const processes = await cli.recorded();
  return processes.find(({ argv }) => argv.length > 1);
}

/** The ids of the requests that the CLI has answers to by now. */
export async function answered(cli: FakeCli): Promise<string[]> {
  const process = await received(cli);
  return (process?.lines ?? []).flatMap((line) => {
    const message = JSON.parse(line) as { type: string; response?: { request_id: string } };
    return message.type === "control_response" ? (message.response?.request_id ?? []) : [];
  });
}

/** The text of partial messages, joined. */
export function textOf(messages: readonly Message[]): string {
  return messages
    .map((message) => {
      const { event } = message as { event?: { delta?: { text?: string } } };
      return event?.delta?.text ?? "";
    })
    .join("");
}

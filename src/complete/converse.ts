import { randomUUID } from "node:crypto";
import { HawserError, type Logger } from "../errors/index.js";
import type { SubprocessTransport } from "../transport/index.js";
import {
  type ControlRequest,
  type ControlResponse,
  controlFailure,
  controlRequest,
  isMessage,
  isResult,
  isSystem,
  type Outbound,
  type Prompt,
  type SystemApiRetry,
  userLine,
} from "../wire/index.js";
import type { Completion } from "./completion.js";
import { askForSettings, checkDenyRules } from "./deny-rules.js";
import type { Limits } from "./limits.js";
import type { Turn } from "./turn.js";

/** Opens the line, sends the prompt, and reads until the turn has its result. */
export async function converse(
  transport: SubprocessTransport,
  prompt: Prompt,
  turn: Turn,
  limits: Limits,
): Promise<Completion> {
  limits.enter("boot");
  await transport.connect();
  const { initialize, expectedDenyRules } = transport.invocation;
  const [initializeId, settingsId] = [randomUUID(), randomUUID()];
  // Nothing is awaited between sends: the CLI takes them in order. Why one fails, the reader learns
  // too, and tells better.
  const send = (line: Outbound) => void transport.send(line).catch(() => {});
  const sendPrompt = () => {
    send(userLine(prompt, { uuid: randomUUID(), literal: turn.literalPrompt }));
  };
  send(controlRequest(initializeId, initialize));
  if (expectedDenyRules === 0) sendPrompt();
  else send(askForSettings(settingsId));

  let dropped: HawserError | undefined;
  for await (const frame of transport.messages()) {
    if (frame.kind === "corrupt") {
      // It may have been the result. With its input at the end, the CLI exits after this turn.
      dropped ??= frame.error;
      await transport.endInput();
    }
    if (frame.kind !== "message") continue;
    const { message } = frame;
    if (isMessage(message, "control_response")) {
      const { request_id } = message.response;
      if (request_id === initializeId) {
        initialized(message, transport, turn);
        limits.enter("firstMessage");
      } else if (request_id === settingsId) {
        checkDenyRules(message, expectedDenyRules);
        sendPrompt();
      }
    } else if (isMessage(message, "control_request")) {
      refuse(message, transport);
    } else {
      turn.add(message);
      if (turn.awaitsTool) limits.pause();
      else if (turn.hasAnswered) limits.enter("idle");
      if (isSystem(message, "api_retry")) logRetry(message, transport.log);
      if (isResult(message)) return turn.completion(message, transport.mask);
    }
  }
  throw (
    dropped ?? new HawserError("process_exited", "The CLI ended without a result.", transport.facts)
  );
}

function initialized(message: ControlResponse, transport: SubprocessTransport, turn: Turn): void {
  const { response } = message;
  if (response.subtype === "error") {
    throw new HawserError("control_error", `The CLI refused to initialize: ${response.error}`);
  }
  turn.booted(response.response);
  // What cannot be removed now is removed when the process has ended.
  transport.initialized().catch(() => {});
}

/** Nothing was registered, so nothing can be asked; an answer keeps the CLI from waiting for ever. */
function refuse({ request_id, request }: ControlRequest, transport: SubprocessTransport): void {
  const error = `Unsupported control request subtype: ${request.subtype}`;
  transport.send(controlFailure(request_id, error)).catch(() => {});
}

function logRetry(
  { attempt, max_retries, retry_delay_ms, error }: SystemApiRetry,
  log: Logger,
): void {
  log.warn("the CLI retries", { attempt, of: max_retries, inMs: retry_delay_ms, error });
}

import { type HawserError, SILENT } from "../../src/base/index.js";
import { ControlLine, type RequestHandler } from "../../src/control/index.js";
import { MemoryTransport } from "../../src/transport/index.js";
import type { Message } from "../../src/wire/index.js";

export interface Line {
  readonly control: ControlLine;
  /** The CLI's side: a bare transport, so that a test can send anything. */
  readonly cli: MemoryTransport;
  readonly messages: Message[];
  readonly corrupt: HawserError[];
  readonly ended: Promise<unknown>;
  /** The calls that told the transport whether to keep the program alive. */
  readonly holds: boolean[];
  /** The lines that the CLI has received so far. */
  readonly sent: Sent[];
  /** Resolves when the CLI has received this many lines. */
  sentUpTo(count: number): Promise<readonly Sent[]>;
  /** Sends any line from the CLI. */
  say(line: object | string): void;
}

export interface Sent {
  readonly type: string;
  readonly request_id?: string;
  readonly request?: { readonly subtype: string };
  readonly response?: {
    readonly subtype: string;
    readonly request_id: string;
    readonly response?: unknown;
    readonly error?: string;
  };
}

/** A ControlLine over memory, and the CLI's side of it. */
export async function openLine(
  handler: RequestHandler = async () => undefined,
  onMessage?: (message: Message) => void,
): Promise<Line> {
  const [here, cli] = MemoryTransport.pair();
  const holds: boolean[] = [];
  Object.assign(here, { holdWhileReading: (hold: boolean) => void holds.push(hold) });
  await here.connect();
  await cli.connect();
  const messages: Message[] = [];
  const corrupt: HawserError[] = [];
  let tellEnd: (error: unknown) => void = () => {};
  const ended = new Promise<unknown>((resolve) => {
    tellEnd = resolve;
  });
  const receive = (message: Message) => {
    messages.push(message);
    onMessage?.(message);
  };
  const events = {
    onMessage: receive,
    onEvents: (events: readonly Message[]) => events.forEach(receive),
    onCorrupt: (error: HawserError) => void corrupt.push(error),
    onEnd: tellEnd,
  };
  const control = new ControlLine(here, handler, events, SILENT);
  control.start();

  const sent: Sent[] = [];
  let wake: () => void = () => {};
  void (async () => {
    for await (const frame of cli.messages()) {
      if (frame.kind === "message") sent.push(frame.message as unknown as Sent);
      wake();
    }
  })().catch(() => {}); // How the line ended is seen at the other end.
  const sentUpTo = async (count: number) => {
    while (sent.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return sent;
  };
  const say = (line: object | string) =>
    here.receive(typeof line === "string" ? line : JSON.stringify(line));
  return { control, cli, messages, corrupt, ended, holds, sent, sentUpTo, say };
}

export function success(request_id: string | undefined, response?: object): object {
  return { type: "control_response", response: { subtype: "success", request_id, response } };
}

export function failure(request_id: string | undefined, more: object): object {
  return { type: "control_response", response: { subtype: "error", request_id, ...more } };
}

export function asks(request_id: string, subtype: string, more: object = {}): object {
  return { type: "control_request", request_id, request: { subtype, ...more } };
}

/** Lets all due callbacks run. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

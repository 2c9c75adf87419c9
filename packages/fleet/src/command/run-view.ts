import type { Message } from "hawser";
import type { RunEvent } from "../runs/run.js";
import { countOf } from "./amounts.js";
import type { FleetPlace } from "./open-place.js";
import { oneLine } from "./printable.js";
import type { CommandShell } from "./shell.js";

/** Shows a run while it goes on: the text on stdout if a user sees it, everything else as notes. */
export class RunView {
  readonly #shell: CommandShell;
  readonly #place: FleetPlace;
  readonly #turn: ReturnType<CommandShell["turnView"]>;
  /** The pieces of the message that is not whole yet. */
  #pieces = "";
  #hasText = false;

  /** Whether the user has seen text of the run. */
  get hasText(): boolean {
    return this.#hasText;
  }

  constructor(shell: CommandShell, place: FleetPlace) {
    this.#shell = shell;
    this.#place = place;
    this.#turn = shell.turnView();
  }

  receive(event: RunEvent): void {
    const { terminal } = this.#shell;
    switch (event.type) {
      case "queued":
        terminal.status("waiting for a worker");
        break;
      case "held":
        terminal.status("waiting for an earlier run of the session");
        break;
      case "started":
        this.#started(event.host, event.how);
        break;
      case "text":
        this.#text(event.text);
        break;
      case "message":
        this.#message(event.message as Message);
        break;
      case "tool":
        terminal.status(oneLine(event.tool, 60));
        break;
      case "asked":
        this.#asked(event.approval, event.summary);
        break;
      case "answered": {
        const who = event.by === undefined ? "" : ` by ${oneLine(event.by, 60)}`;
        this.#note(`${event.outcome}${who}`);
        break;
      }
      case "parked":
        terminal.status("waiting for an answer, without a process");
        break;
      case "lost":
        this.#lost(event);
        break;
      case "returned":
        this.#note(`given back: ${oneLine(event.reason, 120)}`);
        break;
      case "ended":
        this.settle();
        break;
      default:
      // A newer worker may write events that this program does not know.
    }
  }

  settle(): void {
    this.#turn.settle();
  }

  #started(host: string, how: "new" | keyof typeof WHY): void {
    this.#pieces = "";
    const name = oneLine(host, 60);
    if (how !== "new") this.#note(`goes on with ${name}${WHY[how]}`);
    this.#shell.terminal.status(`starting the CLI on ${name}`);
  }

  #text(text: string): void {
    if (!this.#shell.terminal.isShown) return;
    if (this.#pieces === "") this.#separate();
    this.#pieces += text;
    this.#shell.terminal.status(undefined);
    this.#shell.terminal.write(text);
  }

  /** A whole message. What was not shown of its text by pieces is shown now. */
  #message(message: Message): void {
    const said = textOf(message);
    if (said !== "" && this.#shell.terminal.isShown) {
      const pieces = this.#pieces;
      this.#pieces = "";
      if (pieces === "" || !said.startsWith(pieces)) {
        // Pieces that do not belong to this message broke off: their host is gone, or the CLI began anew.
        this.#separate();
        this.#shell.terminal.write(said);
      } else this.#shell.terminal.write(said.slice(pieces.length));
    }
    this.#turn.receive(message);
  }

  /** An empty line between two texts. */
  #separate(): void {
    if (this.#hasText) this.#shell.terminal.writeLine();
    this.#hasText = true;
  }

  #asked(approval: string, summary: string): void {
    const { terminal } = this.#shell;
    if (terminal.isInteractive) {
      terminal.status("waiting for your answer");
      return;
    }
    terminal.warn(
      `The run waits for an answer to: ${oneLine(summary, 200)} (hawser approve ${approval.slice(0, 8)}${this.#place.flags})`,
    );
  }

  #lost({ uncertain, error, isLast }: Extract<RunEvent, { type: "lost" }>): void {
    const why =
      error === undefined
        ? "The host of the run is gone."
        : `The host could not go on with the run: ${oneLine(error.message, 300)}`;
    const calls =
      uncertain.length === 0
        ? []
        : [`${countOf(uncertain.length, "tool call")} may or may not have taken effect.`];
    const next = isLast === true ? [] : ["The run waits for another attempt."];
    this.#shell.terminal.warn([why, ...calls, ...next].join(" "));
  }

  #note(text: string): void {
    const { terminal } = this.#shell;
    terminal.note(terminal.style.dim(text));
  }
}

const WHY = {
  recovered: ", because its host was lost",
  answered: ", with the answer",
  returned: ", because it was given back",
} as const;

/** The text of a message of the main agent; "" for all other messages. */
function textOf(message: Message): string {
  if (message.type !== "assistant") return "";
  const { message: body, parent_tool_use_id: parent } = message as {
    readonly message?: { readonly content?: unknown };
    readonly parent_tool_use_id?: string | null;
  };
  if (parent !== null || !Array.isArray(body?.content)) return "";
  const blocks: readonly { readonly type?: string; readonly text?: unknown }[] = body.content;
  return blocks.map(({ type, text }) => (type === "text" ? String(text) : "")).join("");
}
